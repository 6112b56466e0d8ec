import { hkdfSync } from 'node:crypto'
import { prefixedHex, sha256 } from '../../canon/digest.ts'
import { random32 } from '../ids.ts'
import { decrypt, encrypt, nonceLength } from './sealed-secret.ts'

/**
 * The purpose and the row of a sealed value. The seal is bound to both, so that a copied value cannot be opened.
 */
export interface ValuePlace {
  purpose: 'gate/webhook-url/v1' | 'gate/slack-signing-secret/v1'
  row: string
}

/**
 * Seals a secret with the webhook key, which the API and workers share: 12 bytes of nonce, the ciphertext, 16 of
 * tag.
 */
export function sealValue(webhookKey: Uint8Array, place: ValuePlace, value: string): Buffer {
  const nonce = random32().subarray(0, nonceLength)
  const sealing = { key: keyOf(webhookKey, place), nonce }
  return Buffer.concat([nonce, encrypt(sealing, boundTo(place), Buffer.from(value))])
}

/** Returns null if the value was sealed with another key, or for another purpose or row. */
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

/** Returns the origin of a URL and a digest. They are shown and recorded instead of the URL, which is a secret. */
export function hiddenUrl(url: string): string {
  return `${new URL(url).origin}/${prefixedHex(sha256(url))}`
}

export function sealUrl(webhookKey: Uint8Array, webhookId: string, url: string): Buffer {
  return sealValue(webhookKey, placeOf(webhookId), url)
}

export function openUrl(webhookKey: Uint8Array, webhookId: string, sealed: Buffer): string | null {
  return openValue(webhookKey, placeOf(webhookId), sealed)
}

function placeOf(webhookId: string): ValuePlace {
  return { purpose: 'gate/webhook-url/v1', row: webhookId }
}
