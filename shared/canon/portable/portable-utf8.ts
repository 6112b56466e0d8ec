/** The text of UTF-8 bytes, a byte-order mark as the character it is; null for anything that is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
