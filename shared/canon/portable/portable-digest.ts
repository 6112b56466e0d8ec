import { hmac } from '@noble/hashes/hmac.js'
import { sha256 as hash } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { DocumentKind } from '../digest.ts'

/** Replaces `shared/canon/digest.ts` in bundles, because browsers have no Node crypto. */

export function sha256(data: string | Uint8Array): Buffer {
  return Buffer.from(hash(typeof data === 'string' ? utf8ToBytes(data) : data))
}

export function hmacSha256(key: Uint8Array, domain: string, text: string): string {
  return bytesToHex(hmac(hash, key, utf8ToBytes(`${domain}${text}`)))
}

export function documentHash(kind: DocumentKind, canonical: string): string {
  return prefixedHex(sha256(`ags-${kind}/v1\n${canonical}`))
}

export function prefixedHex(digest: Uint8Array): string {
  return `sha256:${hex(digest)}`
}

export function hex(bytes: Uint8Array): string {
  return bytesToHex(bytes)
}
