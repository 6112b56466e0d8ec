import { prefixedHex, sha256 } from '../../canon/digest.ts'
import { openValue, sealValue, type ValuePlace } from './sealed-value.ts'

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
