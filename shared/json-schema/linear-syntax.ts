/** The error for a pattern that cannot run in linear time. Its message may be shown to users. */
export class PatternRefusal extends Error {}

/**
 * Translates an ECMA-262 pattern (u flag) to RE2 syntax with the same matches, or throws `PatternRefusal`. It
 * replaces `.`, `\s`, `\u` and group names, because the two dialects differ there.
 */
export function linearSyntax(pattern: string): string {
  requireRegularExpression(pattern)
  const scan: Scan = { pattern, at: 0, inClass: false }
  let syntax = ''
  while (scan.at < pattern.length) syntax += next(scan)
  return syntax
}

interface Scan {
  pattern: string
  at: number
  inClass: boolean
}

const whiteSpace =
  '\\t-\\r\\x20\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const notWhiteSpace =
  '\\x00-\\x08\\x0e-\\x1f\\x21-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'
const notLineEnd = '[^\\n\\r\\x{2028}\\x{2029}]'
const anything = '[\\x00-\\x{10ffff}]'
const nothing = '[^\\x00-\\x{10ffff}]'

function next(scan: Scan): string {
  const character = take(scan)
  if (character === '\\') return escaped(scan)
  if (scan.inClass) return inClass(scan, character)
  if (character === '.') return notLineEnd
  if (character === '[') return openClass(scan)
  return character === '(' ? openGroup(scan) : character
}

function inClass(scan: Scan, character: string): string {
  if (character === ']') scan.inClass = false
  // RE2 would read `[:` inside a class as a class name.
  return character === '[' ? '\\[' : character
}

function openClass(scan: Scan): string {
  if (skip(scan, '^]')) return anything
  if (skip(scan, ']')) return nothing
  scan.inClass = true
  return skip(scan, '^') ? '[^' : '['
}

/** Opens a group without capture, because only the match of the whole pattern matters. */
function openGroup(scan: Scan): string {
  if (!skip(scan, '?') || skip(scan, ':')) return '(?:'
  if (matched(scan, /<(?![=!])[^>]*>/uy) !== null) return '(?:'
  throw new PatternRefusal('uses look-around or flags, which linear time excludes')
}

function escaped(scan: Scan): string {
  const character = take(scan)
  if (character === 's') return classOrPart(scan, whiteSpace)
  if (character === 'S') return classOrPart(scan, notWhiteSpace)
  if (character === 'u') return codePoint(scan)
  if (character === 'p' || character === 'P') return category(scan, character)
  if (character === 'b' && scan.inClass) return '\\x08'
  if (character === '0') return '\\x00'
  if (/[dDwWbBnrtfvx]/.test(character) || /[\^$\\.*+?()[\]{}|/-]/.test(character)) return `\\${character}`
  throw new PatternRefusal(`uses \\${character}, which linear time excludes`)
}

function classOrPart({ inClass }: Scan, ranges: string): string {
  return inClass ? ranges : `[${ranges}]`
}

function codePoint(scan: Scan): string {
  const hex =
    matched(scan, /\{([0-9a-f]+)\}/iuy) ??
    surrogatePair(matched(scan, /(d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})/iuy)) ??
    matched(scan, /((?!d[89a-f])[0-9a-f]{4})/iuy)
  if (hex === null || isSurrogate(Number.parseInt(hex, 16)))
    throw new PatternRefusal('names half a character')
  return `\\x{${hex}}`
}

function surrogatePair(pair: string | null): string | null {
  if (pair === null) return null
  const [high = '', low = ''] = pair.split('\\u')
  const text = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16))
  return text.codePointAt(0)?.toString(16) ?? null
}

/** Accepts only general categories, because the dialects name scripts and properties differently. */
function category(scan: Scan, letter: string): string {
  const name = matched(scan, /\{([CLMNPSZ][a-z]?)\}/uy)
  if (name === null) throw new PatternRefusal('uses \\p with more than a general category such as L or Nd')
  return `\\${letter}{${name}}`
}

function isSurrogate(point: number): boolean {
  return point >= 0xd800 && point <= 0xdfff
}

function take(scan: Scan): string {
  const character = String.fromCodePoint(scan.pattern.codePointAt(scan.at) ?? 0)
  scan.at += character.length
  return character
}

function skip(scan: Scan, text: string): boolean {
  const there = scan.pattern.startsWith(text, scan.at)
  if (there) scan.at += text.length
  return there
}

function matched(scan: Scan, sticky: RegExp): string | null {
  sticky.lastIndex = scan.at
  const match = sticky.exec(scan.pattern)
  if (!match) return null
  scan.at += match[0].length
  return match[1] ?? match[0]
}

function requireRegularExpression(pattern: string): void {
  try {
    new RegExp(pattern, 'u')
  } catch {
    throw new PatternRefusal('is not a regular expression of ECMA-262 with the u flag')
  }
}
