import { hkdfSync } from 'node:crypto'
import { prefixedHex, sha256 } from '../../canon/digest.ts'
import { random32 } from '../ids.ts'
import { decrypt, encrypt, nonceLength } from './sealed-secret.ts'

/** What is shown, recorded and compared in the place of a URL that is a secret: its origin and a digest of the whole. */
export function hiddenUrl(url: string): string {
  return `${new URL(url).origin}/${prefixedHex(sha256(url))}`
}

/** A secret URL of a webhook, for whoever has the key of webhooks: 12 bytes of nonce, the ciphertext, 16 bytes of tag. */
export function sealUrl(webhookKey: Uint8Array, webhookId: string, url: string): Buffer {
  const nonce = random32().subarray(0, nonceLength)
  const sealing = { key: keyOfUrls(webhookKey), nonce }
  return Buffer.concat([nonce, encrypt(sealing, boundTo(webhookId), Buffer.from(url))])
}

/** Null where another key sealed it, or for another webhook. */
export function openUrl(webhookKey: Uint8Array, webhookId: string, sealed: Buffer): string | null {
  const sealing = { key: keyOfUrls(webhookKey), nonce: sealed.subarray(0, nonceLength) }
  return decrypt(sealing, boundTo(webhookId), sealed.subarray(nonceLength))?.toString() ?? null
}

function keyOfUrls(webhookKey: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', webhookKey, Buffer.alloc(0), 'gate/webhook-url/v1\n', 32))
}

function boundTo(webhookId: string): Buffer {
  return Buffer.from(`gate/webhook-url/v1\n${webhookId}`)
}
