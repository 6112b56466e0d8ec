import { hash } from 'node:crypto'

/** SHA-256; a string stands for its UTF-8 bytes. */
export function sha256(data: string | Uint8Array): Buffer {
  // A digest handed over as a string and copied into Buffer's pool costs half of one that is made as a Buffer.
  return Buffer.from(hash('sha256', data, 'binary'), 'binary')
}

/**
 * HMAC-SHA-256 (RFC 2104) over the UTF-8 bytes of `domain || text`, as lower-case hex; `domain` says what the text is used
 * for. Two hashes at one go cost less than the object that node makes for an HMAC.
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
 * What a document is; `request` is what is sent for an action, `query` and `report` are what was asked of a policy, and what
 * was proved, `route` is whose approvals an action takes, `grant` what a grant allows.
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
 * The hash a policy, a catalog or a proposal is known by, `sha256:<hex>`, over the RFC 8785 text of its normalized form
 * (specification.md#audit-bytes). The kind is part of what is hashed: a policy never has the hash of a catalog.
 */
export function documentHash(kind: DocumentKind, canonical: string): string {
  return `sha256:${hash('sha256', `ags-${kind}/v1\n${canonical}`, 'hex')}`
}

/** A digest as JSON answers show it: `sha256:` and lower-case hex. */
export function prefixedHex(digest: Uint8Array): string {
  return `sha256:${hex(digest)}`
}

/** Lower-case hex. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
