/**
 * Returns the skeleton of a name after UTS 39: people easily confuse names with the same skeleton. The mapping is
 * a documented part of Unicode's confusables: Cyrillic, Greek, Armenian and Cherokee letters, digits and signs
 * that look like ASCII letters in common fonts. NFKD runs first, so that full-width, mathematical and accented
 * variants of a letter have the same skeleton.
 */
export function skeletonOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
  return [...plain].map(character => prototypes.get(character) ?? character).join('')
}

export function lookAlike(one: string, other: string): boolean {
  return (
    skeletonOf(one) === skeletonOf(other) || skeletonOf(one.toLowerCase()) === skeletonOf(other.toLowerCase())
  )
}

const confusables: readonly (readonly [prototype: string, lookAlikes: string])[] = [
  ['A', 'ΑАᎪ'],
  ['B', 'ΒВᏴᛒ'],
  ['C', 'СϹᏟ'],
  ['D', 'ᎠᗞⅮ'],
  ['E', 'ΕЕᎬ'],
  ['F', 'Ϝ'],
  ['G', 'ԌᏀ'],
  ['H', 'ΗНᎻ'],
  ['J', 'ЈᎫͿ'],
  ['K', 'ΚКᏦ'],
  ['L', 'ᏞⅬ'],
  ['M', 'ΜМᎷϺ'],
  ['N', 'Ν'],
  ['O', '0ΟОՕ'],
  ['P', 'ΡРᏢ'],
  ['Q', 'Ԛ'],
  ['R', 'ᎡᏒ'],
  ['S', 'ЅՏᏚ'],
  ['T', 'ΤТᎢ'],
  ['U', 'Սᑌ'],
  ['V', 'ѴᏙ'],
  ['W', 'ԜᎳ'],
  ['X', 'ΧХ'],
  ['Y', 'ΥҮ'],
  ['Z', 'ΖᏃ'],
  ['a', 'аɑα'],
  ['b', 'ЬᏏ'],
  ['c', 'сϲ'],
  ['d', 'ԁᏧ'],
  ['e', 'еҽ'],
  ['f', 'ſք'],
  ['g', 'ɡց'],
  ['h', 'һհᏂ'],
  ['i', 'іιɩı'],
  ['j', 'јϳ'],
  ['k', 'кκ'],
  ['l', 'I1|ӏІΙⅼאן'],
  ['n', 'ոп'],
  ['o', 'оοօσ'],
  ['p', 'рρ'],
  ['q', 'ԛզ'],
  ['r', 'гᴦ'],
  ['s', 'ѕ'],
  ['t', 'т'],
  ['u', 'սυ'],
  ['v', 'ѵν'],
  ['w', 'ԝա'],
  ['x', 'хχ'],
  ['y', 'уү'],
  ['z', 'ᴢ'],
  ['rn', 'mм'],
  ["'", '’‘`´ʼ'],
  ['-', '‐‑‒–—−'],
]

const prototypes: ReadonlyMap<string, string> = new Map(
  confusables.flatMap(([prototype, lookAlikes]) =>
    [...lookAlikes].map((character): [string, string] => [character, prototype]),
  ),
)
