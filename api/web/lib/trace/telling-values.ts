import type { InboxValue } from '../../../../shared/contract/action/inbox-schema.ts'
import { type Leaf, valuesToldMax } from '../../../../shared/lifecycle/told-values.ts'
import { counted } from '../format.ts'
import { describeLeaves, type Piece } from './describe.ts'

const amountName = /^(amount|total|price|sum|value|quantity|count)$/i
const objectName = /^(id|iban|e?mail|to|recipient|address|account|url|path|repository|branch)$|(_id|Id)$/
const objectsMax = 2

/**
 * What a row of a list tells of values: one amount with its currency, and what it is about; the others are counted, with
 * `more` that are not among them. Names are left out, so where two amounts could be taken for each other, or nothing tells,
 * values stand with their names.
 */
export function tellingValues(values: readonly Leaf[], more: number): Piece[] {
  const amounts = values.filter(isAmount)
  const currency = amounts[0] && currencyOf(amounts[0], values)
  const objects = values.filter(isObject).slice(0, objectsMax)
  const isPlain = amounts.length > 1 || (amounts.length === 1 && currency === undefined)
  if (isPlain || amounts.length + objects.length === 0) {
    const named = values.slice(0, valuesToldMax)
    return describeLeaves(named, values.length - named.length + more)
  }
  const told = [
    ...amounts.map(({ value }) => `${value} ${currency?.value}`),
    ...objects.map(({ value }) => String(value)),
  ]
  const rest = values.length + more - objects.length - 2 * amounts.length
  return [
    ...told.flatMap((text, place) => [
      ...(place === 0 ? [] : [{ text: ' · ', from: 'us' } as const]),
      { text, from: 'proposal' } as const,
    ]),
    ...(rest > 0 ? [{ text: `, and ${counted(rest, 'further value')}`, from: 'us' } as const] : []),
  ]
}

function isAmount({ way, value }: Leaf): boolean {
  return typeof value === 'number' && amountName.test(way.at(-1) ?? '')
}

function isObject({ way, value }: Leaf): boolean {
  const isName = typeof value === 'string' ? value !== '' : typeof value === 'number'
  return isName && objectName.test(way.at(-1) ?? '')
}

/** The currency that stands beside an amount. */
function currencyOf({ way }: Leaf, leaves: readonly Leaf[]): Leaf | undefined {
  const beside = way.slice(0, -1).join('\n')
  return leaves.find(
    ({ way: other, value }) =>
      other.at(-1) === 'currency' && other.slice(0, -1).join('\n') === beside && typeof value === 'string',
  )
}

/** The values of a held action as a list has them. */
export function leavesIn(values: readonly InboxValue[]): Leaf[] {
  return values.map(({ path, value, cut }) => ({ way: path, value: cut ? `${value}…` : value }))
}
