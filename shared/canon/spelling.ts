/** Decodes padded base64 (RFC 4648 section 4) strictly. Returns null for a text that no encoder would write. */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}

/**
 * Parses a count from an audit text: only digits, no leading zero, at most 2^53-1. Returns null for any other
 * text.
 */
export function parseDecimal(text: string): number | null {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(text)) return null
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : null
}

/**
 * Returns the position, in UTF-16 code units, of the first string or number whose spelling differs from RFC 8785;
 * null if all are canonical. If two texts with equal values both return null, they differ only in white space and
 * in the order of names. The text must be valid for `parseStrictJson`.
 */
export function misspelledAt(text: string): number | null {
  for (let at = 0; at < text.length; ) {
    const end = endOfToken(text, at)
    if (end > at + 1 && !isCanonical(text.slice(at, end))) return at
    at = end
  }
  return null
}

function endOfToken(text: string, at: number): number {
  if (text[at] === '"') return endOfString(text, at)
  number.lastIndex = at
  return number.test(text) ? number.lastIndex : at + 1
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function isCanonical(token: string): boolean {
  if (token.startsWith('"')) return !token.includes('\\') || JSON.stringify(JSON.parse(token)) === token
  return String(Number(token)) === token
}

const number = /-?\d[-+.\deE]*/y
