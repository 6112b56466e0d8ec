import { hash } from 'node:crypto'

/** Returns the SHA-256 digest; a string is hashed as its UTF-8 bytes. */
export function sha256(data: string | Uint8Array): Buffer {
  // Copying a digest string into Buffer's pool costs half of what a digest made as a Buffer costs.
  return Buffer.from(hash('sha256', data, 'binary'), 'binary')
}

/**
 * Returns the HMAC-SHA-256 (RFC 2104) over the UTF-8 bytes of `domain || text`, as lower-case hex; `domain` names
 * the use of the text. Two one-shot hashes are used because they cost less than the object that Node makes for an
 * HMAC.
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
 * The kinds of document: `request` is the request sent for an action, `query` a question to a policy, `report` the
 * results of its proof, `route` the approvals that an action needs, `grant` the content of a grant.
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
 * Returns the hash by which a policy, a catalog or a proposal is known, `sha256:<hex>`, over the RFC 8785 text of
 * its normalized form (specification.md#audit-bytes). The hash covers the kind, so that a policy never has the
 * hash of a catalog.
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
