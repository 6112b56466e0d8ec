import { commonPhrases, commonWords } from './common-passwords.ts'

/**
 * Returns why an attacker would guess a password early, or null. Weak are known passwords, few different
 * characters, a short repeated piece, and neighbours on a keyboard or in the alphabet. Also weak are common words
 * with digits and marks around them, and the address itself.
 */
export function weakness(password: string, email: string): string | null {
  const plain = password.normalize('NFKC').toLowerCase()
  if (commonPhrases.has(plain) || commonPhrases.has(plain.replace(/[\d\W_]+$/, '')))
    return 'is a common password'
  if (new Set(plain).size < 5) return 'has few different characters'
  if (/^(.{1,6})\1+.{0,3}$/u.test(plain)) return 'repeats one short piece'
  if (rest(plain, sequences).length < 4) return 'is a sequence of neighbouring characters'
  if (isOfAddress(plain, email)) return 'contains little but the e-mail address'
  if (isOfWords(plain)) return 'is made of common words'
  return null
}

const lookAlikes: Readonly<Record<string, string>> = {
  '@': 'a',
  4: 'a',
  3: 'e',
  1: 'i',
  0: 'o',
  $: 's',
  5: 's',
  '!': 'i',
  7: 't',
}

const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  '!@#$%^&*()',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
]
const runLength = 3
const sequences: readonly string[] = rows.flatMap(row => [row, [...row].reverse().join('')]).flatMap(runsOf)

function runsOf(row: string): string[] {
  return Array.from({ length: row.length - runLength + 1 }, (_, at) => row.slice(at, at + runLength))
}

function rest(text: string, pieces: readonly string[]): string {
  let left = ''
  for (let at = 0; at < text.length; ) {
    const piece = pieces.find(candidate => text.startsWith(candidate, at))
    if (!piece) left += text.charAt(at)
    at += piece ? continued(text, at, piece) : 1
  }
  return left
}

function continued(text: string, at: number, piece: string): number {
  let length = piece.length
  while (sequences.includes(text.slice(at + length - 2, at + length + 1))) length += 1
  return length
}

function isOfAddress(password: string, email: string): boolean {
  const [local = ''] = email.split('@')
  const without = password.replaceAll(email, '')
  const shorter = local.length < 4 ? without : without.replaceAll(local, '')
  return shorter !== password && letters(shorter).length < 6
}

const byLength: readonly string[] = [...commonWords]
  .filter(word => word.length > 2)
  .sort((left, right) => right.length - left.length)

/** Returns true for common words, also if look-alike characters are used or a year, a sequence or marks follow. */
function isOfWords(plain: string): boolean {
  const body = plain.replace(/[\d\W_]+$/, '')
  const tail = plain.slice(body.length).replaceAll(/(19|20)\d\d/g, '')
  const read = body.replaceAll(/[@4310$5!7]/g, sign => lookAlikes[sign] ?? sign)
  const left = Math.min(withoutWords(body), withoutWords(read))
  return left < body.length && left + rest(tail, sequences).length < 5
}

function withoutWords(text: string): number {
  const left = byLength.reduce((remaining, word) => remaining.replaceAll(word, ' '), text)
  return left.replaceAll(/[\s_-]/g, '').length
}

function letters(text: string): string {
  return text.replaceAll(/[^\p{L}]/gu, '')
}
