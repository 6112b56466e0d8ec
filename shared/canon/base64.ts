/** Base64 (RFC 4648 section 4, with padding), read strictly: null for whatever it would not itself have written. */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}
