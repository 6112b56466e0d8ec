import type { InboxValue } from '../../../../shared/contract/action/inbox-schema.ts'
import { amountsIn, type Leaf, targetsIn, valuesToldMax } from '../../../../shared/lifecycle/told-values.ts'
import { counted } from '../format.ts'
import { describeLeaves, type Piece } from './describe.ts'

/**
 * Picks the values for a list row: an amount with its currency, and its target. Counts the rest, including `more`
 * unlisted values. Adds names if two amounts could be confused or no value is distinctive.
 */
export function tellingValues(values: readonly Leaf[], more: number): Piece[] {
  const amounts = amountsIn(values).filter(({ value }) => typeof value === 'number')
  const currency = amounts[0]?.currency ?? null
  const objects = targetsIn(values)
  const isPlain = amounts.length > 1 || (amounts.length === 1 && currency === null)
  if (isPlain || amounts.length + objects.length === 0) {
    const named = values.slice(0, valuesToldMax)
    return describeLeaves(named, values.length - named.length + more)
  }
  const told = [
    ...amounts.map(({ value }) => `${value} ${currency}`),
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

export function leavesIn(values: readonly InboxValue[]): Leaf[] {
  return values.map(({ path, value, cut }) => ({ way: path, value: cut ? `${value}…` : value }))
}
