/** A text after its escapes were decoded, with a map of positions back to the original. */
export interface ReadText {
  text: string
  /** The position in the original of each character and of the end; null if nothing was decoded. */
  begins: readonly number[] | null
}

/** The most nested layers of escapes that are decoded. */
const layersMax = 3

/**
 * Returns the text and, for each layer of percent-encoding, JSON or HTML escapes, the text after decoding it.
 * With `plus`, it also reads each plus sign as a space, because forms write spaces that way.
 */
export function readingsOf(text: string, { plus }: { plus: boolean }): ReadText[] {
  const came: ReadText = { text, begins: null }
  const layers = layersOf(came)
  if (!plus || !text.includes('+')) return layers
  return [...layers, ...layersOf({ text: text.replaceAll('+', ' '), begins: null })]
}

export function spanIn({ begins }: ReadText, from: number, to: number): [from: number, to: number] {
  return begins === null ? [from, to] : [begins[from] ?? 0, begins[to] ?? 0]
}

function layersOf(first: ReadText): ReadText[] {
  const layers = [first]
  for (let last = first; layers.length <= layersMax; ) {
    const next = unescaped(last)
    if (next === null) break
    layers.push(next)
    last = next
  }
  return layers
}

const anEscape =
  /(?:%[0-9a-f]{2})+|\\u([0-9a-f]{4})|\\(["\\/bfnrt])|&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi

const ofJson: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const ofHtml: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped({ text, begins }: ReadText): ReadText | null {
  const escapes = [...text.matchAll(anEscape)]
  if (escapes.length === 0) return null
  const pieces: string[] = []
  const starts: number[] = []
  const startOf = (at: number): number => begins?.[at] ?? at
  let done = 0
  for (const match of escapes) {
    for (let at = done; at < match.index; at += 1) starts.push(startOf(at))
    pieces.push(text.slice(done, match.index))
    for (const [character, offset] of charactersOf(match)) {
      pieces.push(character)
      for (let unit = 0; unit < character.length; unit += 1) starts.push(startOf(match.index + offset))
    }
    done = match.index + match[0].length
  }
  for (let at = done; at <= text.length; at += 1) starts.push(startOf(at))
  pieces.push(text.slice(done))
  return { text: pieces.join(''), begins: starts }
}

function charactersOf([whole, unit, letter, decimal, hexadecimal, name]: RegExpMatchArray): [
  string,
  number,
][] {
  if (unit !== undefined) return [[String.fromCharCode(Number.parseInt(unit, 16)), 0]]
  if (letter !== undefined) return [[ofJson[letter] ?? letter, 0]]
  if (name !== undefined) return [[ofHtml[name.toLowerCase()] ?? '', 0]]
  if (whole.startsWith('%')) return percentEncoded(whole)
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return [[code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd', 0]]
}

/** Decodes UTF-8. A byte that is not valid UTF-8 is read as Latin-1, because HTTP headers use it. */
function percentEncoded(whole: string): [string, number][] {
  const bytes = Buffer.from(whole.replaceAll('%', ''), 'hex')
  const characters: [string, number][] = []
  for (let at = 0; at < bytes.length; ) {
    const [first = 0] = bytes.subarray(at)
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    const read = bytes.toString('utf8', at, at + length)
    const isSound = [...read].length === 1 && read !== '\ufffd'
    characters.push([isSound ? read : String.fromCharCode(first), at * '%00'.length])
    at += isSound ? length : 1
  }
  return characters
}

/** Encodes a credential for HTTP Basic as RFC 6749 requires: only letters and digits stay unescaped. */
export function encodedForForm(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replace(/%20|[-_.!~*'()]/g, one =>
    one === '%20' ? '+' : `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
