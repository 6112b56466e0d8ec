import type { Proposal } from '../contract/action/proposal-schema.ts'
import type { Check } from '../contract/action/verdict.ts'
import type { JsonValue } from '../contract/base/json.ts'

/** A value without members (a scalar, or an empty object or list) and the names and indexes that lead to it. */
export interface Leaf {
  way: readonly string[]
  value: JsonValue
}

/** Matches names of amounts, currencies and recipients. A long list of values always shows such values. */
const moneyName =
  /amount|total|price|sum|value|quantity|count|limit|fee|cost|balance|rate|tip|discount|currency|iban|bic|account|recipient|payee|beneficiary|creditor|debtor|card|wallet|address|mail|url|^to$/i
export const valuesToldMax = 6

const amountName = /^(amount|total|price|sum|value|quantity|count)$/i
const targetName = /^(id|iban|e?mail|to|recipient|address|account|url|path|repository|branch)$|(_id|Id)$/
const targetsMax = 2

/** A value whose name marks it as an amount, with the currency from the member `currency` beside it. */
export interface Amount extends Leaf {
  currency: string | null
}

export function amountsIn(leaves: readonly Leaf[]): Amount[] {
  return leaves
    .filter(({ way }) => amountName.test(way.at(-1) ?? ''))
    .map(leaf => ({ ...leaf, currency: currencyBeside(leaf, leaves) }))
}

function currencyBeside({ way }: Leaf, leaves: readonly Leaf[]): string | null {
  const beside = JSON.stringify([...way.slice(0, -1), 'currency'])
  const found = leaves.find(({ way: other }) => JSON.stringify(other) === beside)
  return typeof found?.value === 'string' ? found.value : null
}

const amountsMax = 2
const lineMax = 60

export function amountLine(leaves: readonly Leaf[]): string | null {
  const amounts = amountsIn(leaves)
  const isAlone = amounts.length === 1 && amounts[0]?.currency !== null
  const shown = amounts.slice(0, amountsMax).map(({ way, value, currency }) => {
    const amount = currency === null ? inLine(value) : `${inLine(value)} ${inLine(currency)}`
    return isAlone ? amount : `${way.map(inLine).join(' ')} ${amount}`
  })
  const more = amounts.length - shown.length
  if (shown.length === 0) return null
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`
}

export function targetLine(leaves: readonly Leaf[]): string | null {
  const targets = targetsIn(leaves).map(({ way, value }) => `${way.map(inLine).join(' ')} ${inLine(value)}`)
  return targets.length === 0 ? null : targets.join(', ')
}

/** Quotes a value whose spaces or signs could otherwise be read as part of the sentence around it. */
function inLine(value: JsonValue): string {
  const isPlain =
    typeof value === 'string' && /^[\p{L}\p{N}@._/:+-]+$/u.test(value) && !/^[-\d.]+$/.test(value)
  const characters = [...(isPlain ? value : JSON.stringify(value))]
  return characters.length <= lineMax ? characters.join('') : `${characters.slice(0, lineMax).join('')}…`
}

export function targetsIn(leaves: readonly Leaf[]): Leaf[] {
  const isTarget = ({ way, value }: Leaf): boolean => {
    const isName = typeof value === 'string' ? value !== '' : typeof value === 'number'
    return isName && targetName.test(way.at(-1) ?? '')
  }
  return leaves.filter(isTarget).slice(0, targetsMax)
}

/**
 * Returns every leaf in the order of the names. An empty object or list is a leaf too, since it may mean "all".
 */
export function leavesOf(value: JsonValue, way: readonly string[] = []): Leaf[] {
  if (value === null || typeof value !== 'object') return [{ way, value }]
  if (way.length > 0 && Object.keys(value).length === 0)
    return [{ way, value: Array.isArray(value) ? [] : {} }]
  const members = Array.isArray(value)
    ? value.map((item, place) => [`${place}`, item] as const)
    : sortedMembers(value)
  return members.flatMap(([name, inner]) => leavesOf(inner, [...way, name]))
}

export function sortedMembers(value: { [name: string]: JsonValue }): [string, JsonValue][] {
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
}

/**
 * Orders the values of a proposal for a person: first values that a policy rule checks, then values about money,
 * then the others. `decisive` is the number of values in the first two kinds.
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
