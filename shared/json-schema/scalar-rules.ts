import type { JsonValue } from '../contract/base/json.ts'
import { multipleOf, sameJson } from './compare-values.ts'
import type { Judgement, Rule } from './keywords.ts'

export const scalarRules: readonly [string, Rule][] = [
  [
    'type',
    {
      meets: (type, value) => hasType(value, type),
    },
  ],
  [
    'const',
    {
      meets: (constant, value, _holder, judgement) =>
        sameJson(constant, value, steps => judgement.spend(steps)),
    },
  ],
  [
    'enum',
    {
      meets(constants, value, _holder, judgement) {
        const spend = (steps: number) => judgement.spend(steps)
        return (constants as JsonValue[]).some(constant => sameJson(constant, value, spend))
      },
    },
  ],

  ['minimum', ofNumbers((bound, value) => value >= bound)],
  ['maximum', ofNumbers((bound, value) => value <= bound)],
  ['exclusiveMinimum', ofNumbers((bound, value) => value > bound)],
  ['exclusiveMaximum', ofNumbers((bound, value) => value < bound)],
  [
    'multipleOf',
    ofNumbers((step, value, judgement) => multipleOf(step, value, steps => judgement.spend(steps))),
  ],

  ['minLength', ofTexts((length, text, judgement) => !isShorter(text, Number(length), judgement))],
  ['maxLength', ofTexts((length, text, judgement) => isShorter(text, Number(length) + 1, judgement))],
  ['pattern', ofTexts((pattern, text, judgement) => judgement.matches(String(pattern), text))],
]

export function hasType(value: JsonValue, type: JsonValue): boolean {
  return Array.isArray(type) ? type.some(name => isOf(value, name)) : isOf(value, type)
}

function isOf(value: JsonValue, type: JsonValue): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}

function ofNumbers(holds: (bound: number, value: number, judgement: Judgement) => boolean): Rule {
  return {
    meets: (bound, value, _holder, judgement) =>
      typeof value !== 'number' || holds(Number(bound), value, judgement),
  }
}

function ofTexts(holds: (asked: JsonValue, text: string, judgement: Judgement) => boolean): Rule {
  return {
    meets: (asked, value, _holder, judgement) => typeof value !== 'string' || holds(asked, value, judgement),
  }
}

/**
 * Compares the number of code points with a length. A code point has 1 or 2 UTF-16 units, so the code points
 * are counted only if the number of units leaves a doubt.
 */
function isShorter(text: string, length: number, judgement: Judgement): boolean {
  if (text.length < length) return true
  if (text.length >= 2 * length) return false
  judgement.spend(text.length / codeUnitsPerStep)
  return codePointsIn(text) < length
}

const codeUnitsPerStep = 8

function codePointsIn(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at += 1) {
    if (isHighSurrogate(text.charCodeAt(at))) count -= 1
  }
  return count
}

/** Returns true for a high surrogate. In well-formed text, a low surrogate follows each high one. */
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
