import { hash } from 'node:crypto'

/** Returns the SHA-256 digest; a string is hashed as its UTF-8 bytes. */
export function sha256(data: string | Uint8Array): Buffer {
  // Hashing to a string and copying the string into a Buffer costs half of hashing to a Buffer.
  return Buffer.from(hash('sha256', data, 'binary'), 'binary')
}

/**
 * Returns the HMAC-SHA-256 (RFC 2104) over the UTF-8 bytes of `domain || text`, as lower-case hex; `domain` names
 * the use of the text. The function makes two one-shot hashes, because Node's HMAC object costs more.
 */
export function hmacSha256(secret: Uint8Array, domain: string, text: string): string {
  const key = secret.length > blockBytes ? sha256(secret) : secret
  const inner = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(domain) + Buffer.byteLength(text))
  inner.fill(innerPad, key.length, blockBytes)
  outerBytes.fill(outerPad, key.length, blockBytes)
  key.forEach((byte, at) => {
    inner[at] = byte ^ innerPad
    outerBytes[at] = byte ^ outerPad
  })
  inner.write(text, blockBytes + inner.write(domain, blockBytes))
  outerBytes.write(hash('sha256', inner, 'binary'), blockBytes, 'binary')
  return hash('sha256', outerBytes, 'hex')
}

const blockBytes = 64
const innerPad = 0x36
const outerPad = 0x5c
const outerBytes = Buffer.alloc(blockBytes + 32)

/**
 * The kinds of document: `request` is the HTTP or tool request sent for an action, `query` a question to a policy,
 * `report` the results of a policy's proof, `route` the approvals that an action needs, `grant` the content of a
 * grant.
 */
export type DocumentKind =
  | 'policy'
  | 'catalog'
  | 'proposal'
  | 'request'
  | 'query'
  | 'report'
  | 'route'
  | 'grant'
  | 'registration'

/**
 * Returns the hash that identifies a document, `sha256:<hex>`, over the RFC 8785 text of its normalized form
 * (specification.md#audit-bytes). The kind is hashed too, so that a policy and a catalog never have the same hash.
 */
export function documentHash(kind: DocumentKind, canonical: string): string {
  return `sha256:${hash('sha256', `ags-${kind}/v1\n${canonical}`, 'hex')}`
}

export function prefixedHex(digest: Uint8Array): string {
  return `sha256:${hex(digest)}`
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
