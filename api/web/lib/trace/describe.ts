import type { Proposal } from '../../../../shared/contract/action/proposal-schema.ts'
import type { Check } from '../../../../shared/contract/action/verdict.ts'
import type { CatalogOperation } from '../../../../shared/contract/configuration/catalog.ts'
import {
  decisiveFirst,
  type Leaf,
  leavesOf,
  valuesToldMax,
} from '../../../../shared/lifecycle/told-values.ts'
import { counted } from '../format.ts'

/** A part of a sentence. Its text is either the page's own or comes from the proposal. */
export interface Piece {
  text: string
  from: 'us' | 'proposal'
}

const openingWords = 'The service will call '
const textLengthMax = 120
/** Matches names that need no quotes, because a reader cannot take them for several names or for a value. */
const plainName = /^[\p{L}\p{M}\p{N}_$@:/-]+$/u

/**
 * Describes what an action will do. Uses only system, operation and parameters, because the agent's summary could
 * mislead. Values that a policy rule checks come first, then amounts; the rest is only counted.
 */
export function describeAction(
  action: Proposal['action'],
  checks: readonly Check[] = [],
  opening = openingWords,
): Piece[] {
  return describeCall(action, describeValues(action.parameters, checks), opening)
}

export function describeCall(
  { target_system, operation }: Pick<Proposal['action'], 'target_system' | 'operation'>,
  values: readonly Piece[],
  opening = openingWords,
): Piece[] {
  const joint = us(values.length === 0 ? ', without parameters' : ' with ')
  return [us(opening), theirs(operation), us(' on '), theirs(target_system), joint, ...values, us('.')]
}

/**
 * Returns the values as in "amount = 20, currency = "EUR" and order.id = "o-1"", or an empty list without
 * parameters.
 */
export function describeValues(
  parameters: Proposal['action']['parameters'],
  checks: readonly Check[] = [],
): Piece[] {
  const { told, decisive } = decisiveFirst(parameters, checks)
  const shown = told.slice(0, Math.max(valuesToldMax, decisive))
  return describeLeaves(shown, told.length - shown.length)
}

export function describeLeaves(leaves: readonly Leaf[], more: number): Piece[] {
  const pieces = leaves.flatMap((leaf, place) => {
    const joint = more === 0 && place === leaves.length - 1 ? ' and ' : ', '
    const pair = [
      theirs(shortened(wholePathOf(leaf))),
      us(' = '),
      theirs(shortened(JSON.stringify(leaf.value))),
    ]
    return place === 0 ? pair : [us(joint), ...pair]
  })
  return more > 0 ? [...pieces, us(`, and ${counted(more, 'further value')}`)] : pieces
}

/** Returns true if `describeAction` omits or shortens a value, so that the page must list all values too. */
export function leavesValuesOut(parameters: Proposal['action']['parameters']): boolean {
  const leaves = leavesOf(parameters)
  return leaves.length > valuesToldMax || leaves.some(isCut)
}

/** Returns true if `describeAction` would shorten this value (as JSON) or its path. */
export function isCut(leaf: Leaf): boolean {
  return [wholePathOf(leaf), JSON.stringify(leaf.value)].some(text => [...text].length > textLengthMax)
}

const undoing: Readonly<Record<CatalogOperation['reversibility'], string>> = {
  reversible: 'It can be undone.',
  compensatable: 'It cannot be undone, but another operation can make up for it.',
  irreversible: 'It cannot be undone.',
}

export function undoWords({ reversibility }: CatalogOperation): string {
  return undoing[reversibility]
}

/**
 * Returns a parameter's path, such as `order.id` or `items.0`. Quotes a name that itself contains a dot:
 * `"order.id"`.
 */
export function wholePathOf({ way }: Leaf): string {
  return way.map(name => (plainName.test(name) ? name : JSON.stringify(name))).join('.')
}

function shortened(text: string): string {
  const characters = [...text]
  return characters.length <= textLengthMax ? text : `${characters.slice(0, textLengthMax).join('')}…`
}

function us(text: string): Piece {
  return { text, from: 'us' }
}

function theirs(text: string): Piece {
  return { text, from: 'proposal' }
}
