import { isUtf8 } from 'node:buffer'

/** The text of UTF-8 bytes, a byte-order mark as the character it is; null for anything that is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  if (!isUtf8(bytes)) return null
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
