import { isUtf8 } from 'node:buffer'

/** Decodes UTF-8 and keeps a byte-order mark as a character; returns null if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  if (!isUtf8(bytes)) return null
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
