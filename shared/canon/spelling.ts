/**
 * Decodes padded base64 (RFC 4648 section 4) strictly; returns null for a text that encoding would not produce.
 */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}

/** Parses a count as audit texts write it: digits only, no leading zero, up to 2^53-1; returns null otherwise. */
export function parseDecimal(text: string): number | null {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(text)) return null
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : null
}

/**
 * Returns the position, in UTF-16 code units, of the first string or number that RFC 8785 spells otherwise, or
 * null if there is none. Two texts with equal values that both pass differ only in white space and in the order of
 * names. The text must be one that `parseStrictJson` reads.
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
