/** A part of a text, beginning at UTF-16 unit `at`. `mark` names what is suspicious about the part, or is null. */
export interface Stretch {
  at: number
  text: string
  mark: Mark | null
}

type Piece = Omit<Stretch, 'at'>

export interface Mark {
  kind: 'direction' | 'invisible' | 'control' | 'stacked' | 'mixed'
  name: string
}

type Range = readonly [from: number, to: number]

const directions: readonly Range[] = [
  [0x061c, 0x061c],
  [0x200e, 0x200f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
]
const controls: readonly Range[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
]
/** Unusual spaces and empty glyphs that Unicode does not list as ignorable. */
const invisibles: readonly Range[] = [
  [0x00a0, 0x00a0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0xfff9, 0xfffb],
  [0x13430, 0x1343f],
  [0x1d159, 0x1d159],
]
const shownAsNothing = /\p{Default_Ignorable_Code_Point}/u
const stacking = /[\p{Mn}\p{Me}]/u
/** The number of combining marks that real scripts put on a letter. More marks would cover neighbouring lines. */
const stackedMax = 4
const word = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu

/** Scripts whose letters look alike. A word with letters of two of them may imitate another word. */
const scripts: readonly (readonly [string, RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
]

/**
 * Splits a text and marks what a reader cannot see or may mistake: bidirectional controls, invisible and control
 * characters, piled accents, and words of mixed scripts (specification.md#security, item 14).
 */
export function stretchesOf(text: string): Stretch[] {
  if (isPlain(text)) return text === '' ? [] : [{ at: 0, text, mark: null }]
  const found: Piece[] = []
  let end = 0
  for (const match of text.matchAll(word)) {
    if (match.index > end) found.push(...byCharacter(text.slice(end, match.index)))
    const mixed = mixedScripts(match[0])
    found.push(...byCharacter(match[0], mixed))
    end = match.index + match[0].length
  }
  return joined([...found, ...byCharacter(text.slice(end))])
}

export function isSuspicious(text: string): boolean {
  return stretchesOf(text).some(({ mark }) => mark !== null)
}

/** A map from letters of other scripts to the Latin letters that look like them. */
const drawnLike: ReadonlyMap<string, string> = new Map(
  [
    ['\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b', 'aeopcyxijsdq'],
    [
      '\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405',
      'ABEKMHOPCTXIJS',
    ],
    ['\u03b1\u03bf\u03bd\u03c1\u03b9', 'aovpi'],
    [
      '\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7',
      'ABEZHIKMNOPTYX',
    ],
  ].flatMap(([theirs = '', latin = '']) => [...theirs].map((letter, at) => [letter, latin[at] ?? letter])),
)
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Mn}]/gu

/** Returns a normalized form of a text. Two texts with the same form look alike. */
export function readsAs(text: string): string {
  const letters = [...text.normalize('NFKC')].map(letter => drawnLike.get(letter) ?? letter)
  return letters.join('').normalize('NFKD').replace(unseen, '').replace(/\s+/gu, ' ').trim()
}

/**
 * Escapes the characters of a JSON text that a text box hides or reorders, so that a value reads in its stored
 * order. This includes right-to-left letters, because they move the numbers beside them. Keeps line breaks and
 * tabs.
 */
export function seenJson(text: string): string {
  if (isPlain(text)) return text
  return stretchesOf(text).map(escapedStretch).join('')
}

function escapedStretch({ text, mark }: Stretch): string {
  const hides = mark !== null && mark.kind !== 'mixed' && text !== '\r'
  return hides ? escaped(text) : text.replace(fromTheRight, escaped)
}

const fromTheRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]+/gu

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    .map(unit => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')
}

function isPlain(text: string): boolean {
  return /^[\n\t\x20-\x7e]*$/.test(text)
}

/** Marks each character. A character that is not suspicious by itself gets the mark `otherwise`. */
function byCharacter(text: string, otherwise: Mark | null = null): Piece[] {
  const characters = [...text]
  let pile = 0
  return characters.map((character, at) => {
    pile = stacking.test(character) ? pile + 1 : 0
    const mark = joinsPicture(character, characters[at - 1]) ? null : markOf(character, pile)
    return { text: character, mark: mark ?? otherwise }
  })
}

/** Accepts an invisible joiner only directly after a pictograph, so that joiners cannot hide other content. */
function joinsPicture(character: string, before = ''): boolean {
  if (character === '\ufe0f') return /\p{Extended_Pictographic}/u.test(before)
  return character === '\u200d' && /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u.test(before)
}

function markOf(character: string, pile: number): Mark | null {
  const point = character.codePointAt(0) ?? 0
  const code = codeOf(character)
  if (isIn(point, directions)) return { kind: 'direction', name: `${code}, changes the direction of reading` }
  if (isIn(point, invisibles) || shownAsNothing.test(character))
    return { kind: 'invisible', name: `${code}, an invisible character` }
  if (isIn(point, controls)) return { kind: 'control', name: `${code}, a control character` }
  if (pile > stackedMax) return { kind: 'stacked', name: `${code}, one mark too many on one letter` }
  return null
}

/** Returns a character's number, such as `U+202E`, because the character may be invisible. */
export function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

function isIn(point: number, ranges: readonly Range[]): boolean {
  return ranges.some(([from, to]) => point >= from && point <= to)
}

function mixedScripts(text: string): Mark | null {
  const found = scripts.filter(([, pattern]) => pattern.test(text)).map(([name]) => name)
  return found.length < 2 ? null : { kind: 'mixed', name: `letters of ${found.join(' and ')} in one word` }
}

function joined(pieces: readonly Piece[]): Stretch[] {
  const all: Stretch[] = []
  let at = 0
  for (const piece of pieces) {
    const last = all.at(-1)
    if (last && last.mark === piece.mark) last.text += piece.text
    else all.push({ at, ...piece })
    at += piece.text.length
  }
  return all
}
