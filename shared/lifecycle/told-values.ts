import type { Proposal } from '../contract/action/proposal-schema.ts'
import type { Check } from '../contract/action/verdict.ts'
import type { JsonValue } from '../contract/base/json.ts'

/** What stands in a JSON value and holds no other, and the names and places on the way to it. */
export interface Leaf {
  way: readonly string[]
  value: JsonValue
}

/** Names of what is paid, how much of it and to whom: such a value is never only counted. */
const moneyName =
  /amount|total|price|sum|value|quantity|count|limit|fee|cost|balance|rate|tip|discount|currency|iban|bic|account|recipient|payee|beneficiary|creditor|debtor|card|wallet|address|mail|url|^to$/i
/** So many values are told whatever they are called. */
export const valuesToldMax = 6

/** Every value that holds no other, in the order of the names: also an empty object or list, which may mean "all". */
export function leavesOf(value: JsonValue, way: readonly string[] = []): Leaf[] {
  if (value === null || typeof value !== 'object') return [{ way, value }]
  if (way.length > 0 && Object.keys(value).length === 0)
    return [{ way, value: Array.isArray(value) ? [] : {} }]
  const members = Array.isArray(value)
    ? value.map((item, place) => [`${place}`, item] as const)
    : sortedMembers(value)
  return members.flatMap(([name, inner]) => leavesOf(inner, [...way, name]))
}

/** The members of an object as the canonical form sorts them. */
export function sortedMembers(value: { [name: string]: JsonValue }): [string, JsonValue][] {
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
}

/**
 * The values of a proposal in the order in which a person is told of them: those that a rule of the policy looks at, then
 * those about money, then the others. `decisive` counts the first two kinds.
 */
export function decisiveFirst(
  parameters: Proposal['action']['parameters'],
  checks: readonly Check[],
): { told: Leaf[]; decisive: number } {
  const leaves = leavesOf(parameters)
  const ruled = new Set(checks.flatMap(({ path }) => (path === null ? [] : [path])))
  const isRuled = ({ way }: Leaf): boolean =>
    ruled.has(`action.parameters.${way.join('.')}`) && !way.some(name => name.includes('.'))
  const isLong = leaves.length > valuesToldMax
  const isMoney = ({ way, value }: Leaf): boolean =>
    isLong && value !== null && typeof value !== 'boolean' && way.some(name => moneyName.test(name))
  const first = leaves.filter(isRuled)
  const then = leaves.filter(leaf => !isRuled(leaf) && isMoney(leaf))
  const rest = leaves.filter(leaf => !isRuled(leaf) && !isMoney(leaf))
  return { told: [...first, ...then, ...rest], decisive: first.length + then.length }
}
