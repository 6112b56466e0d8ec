import { hkdfSync } from 'node:crypto'
import { prefixedHex, sha256 } from '../../canon/digest.ts'
import { random32 } from '../ids.ts'
import { decrypt, encrypt, nonceLength } from './sealed-secret.ts'

/** What a sealed value is for, and which row it is of: bound into the seal, so that it means nothing in another place. */
export interface ValuePlace {
  purpose: 'gate/webhook-url/v1' | 'gate/slack-signing-secret/v1'
  row: string
}

/** A secret of the API and the workers, for whoever has the key of webhooks: 12 bytes of nonce, the ciphertext, 16 of tag. */
export function sealValue(webhookKey: Uint8Array, place: ValuePlace, value: string): Buffer {
  const nonce = random32().subarray(0, nonceLength)
  const sealing = { key: keyOf(webhookKey, place), nonce }
  return Buffer.concat([nonce, encrypt(sealing, boundTo(place), Buffer.from(value))])
}

/** Null where another key sealed it, or for another place. */
export function openValue(webhookKey: Uint8Array, place: ValuePlace, sealed: Buffer): string | null {
  const sealing = { key: keyOf(webhookKey, place), nonce: sealed.subarray(0, nonceLength) }
  return decrypt(sealing, boundTo(place), sealed.subarray(nonceLength))?.toString() ?? null
}

function keyOf(webhookKey: Uint8Array, { purpose }: ValuePlace): Buffer {
  return Buffer.from(hkdfSync('sha256', webhookKey, Buffer.alloc(0), `${purpose}\n`, 32))
}

function boundTo({ purpose, row }: ValuePlace): Buffer {
  return Buffer.from(`${purpose}\n${row}`)
}

/** What is shown, recorded and compared in the place of a URL that is a secret: its origin and a digest of the whole. */
export function hiddenUrl(url: string): string {
  return `${new URL(url).origin}/${prefixedHex(sha256(url))}`
}

/** A secret URL of a webhook, for whoever has the key of webhooks. */
export function sealUrl(webhookKey: Uint8Array, webhookId: string, url: string): Buffer {
  return sealValue(webhookKey, placeOf(webhookId), url)
}

/** Null where another key sealed it, or for another webhook. */
export function openUrl(webhookKey: Uint8Array, webhookId: string, sealed: Buffer): string | null {
  return openValue(webhookKey, placeOf(webhookId), sealed)
}

function placeOf(webhookId: string): ValuePlace {
  return { purpose: 'gate/webhook-url/v1', row: webhookId }
}
