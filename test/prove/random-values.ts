import type { JsonObject, JsonValue } from '../../shared/contract/base/json.ts'
import type { Chance } from './random.ts'

// A small world, so that documents, queries and proposals meet; the awkward values among them.

/** With names that join two of a path, which hides what the path leads to. */
export const names = ['p', 'q', 'p.r']
export const innerNames = ['r', 's', 'r.s']
export const paths = ['p', 'q', 'p.r', 'p.s', 'q.r', 'p.r.s']

const numbers = [-1, 0, 0.1, 0.3, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6, 10]
const texts = ['', 'a', 'b', 'ab', 'abc', '😀', 'example']

/** Patterns, each with texts that it matches. */
export const patterns: readonly (readonly [pattern: string, texts: readonly string[]])[] = [
  ['^a', ['a', 'ab', 'abc']],
  ['b$', ['b', 'ab', 'xxb']],
  ['^[0-9]+$', ['0', '12', '999']],
  ['^x{5}$', ['xxxxx']],
  ['^(?:ab)*$', ['', 'ab', 'abab']],
  ['^(?:a|b|ab)$', ['a', 'b', 'ab']],
  ['\\bab\\b', ['ab', 'ab x', '-ab']],
  ['^\\w{2,3}$', ['ab', 'a1_', 'abc']],
  ['[^a-z]', ['A', 'b1', '😀']],
  ['^.$', ['a', '😀', '7']],
  ['^[Aa][Bb]?$', ['a', 'AB', 'aB']],
  ['^$', ['']],
]

export function scalar(chance: Chance): JsonValue {
  if (chance.maybe(0.5)) return chance.one(numbers)
  return chance.maybe(0.6) ? chance.one(texts) : chance.one([null, true, false])
}

export function numberOf(chance: Chance): number {
  return chance.one(numbers)
}

export function value(chance: Chance, depth = 0): JsonValue {
  if (depth > 2 || chance.maybe(0.55)) return scalar(chance)
  if (chance.maybe(0.35)) return Array.from({ length: chance.below(3) }, () => value(chance, depth + 1))
  return object(chance, depth)
}

export function object(chance: Chance, depth = 0): JsonObject {
  const members = chance.some([...innerNames, 'other'], depth === 0 ? 0.5 : 0.4)
  return Object.fromEntries(members.map(name => [name, value(chance, depth + 1)]))
}
