/** Base64 (RFC 4648 section 4, with padding), read strictly: null for whatever it would not itself have written. */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}

/** A count as audit texts write it: digits only, no leading zero, up to 2^53-1; null for anything else. */
export function parseDecimal(text: string): number | null {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(text)) return null
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : null
}

/**
 * The place of the first string or number in a JSON text that RFC 8785 spells otherwise, in UTF-16 code units; null where
 * there is none. Two texts that both pass and say the same differ in space and in the order of names alone. The text must
 * be one that `parseStrictJson` reads.
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

/** A string without an escape has one spelling only. */
function isCanonical(token: string): boolean {
  if (token.startsWith('"')) return !token.includes('\\') || JSON.stringify(JSON.parse(token)) === token
  return String(Number(token)) === token
}

const number = /-?\d[-+.\deE]*/y
