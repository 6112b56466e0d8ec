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

/** A stretch of a sentence: our own words, or a name or value that stands in the proposal. */
export interface Piece {
  text: string
  from: 'us' | 'proposal'
}

const openingWords = 'The service will call '
const textLengthMax = 120
/** Names that cannot be taken for several names, nor for a name with its value; others are quoted. */
const plainName = /^[\p{L}\p{M}\p{N}_$@:/-]+$/u

/**
 * What will happen, or what was asked, from what is executed and nothing else: system, operation and parameters. The agent's summary has no
 * part in it. Values that a rule of the policy looks at come first, then those about money; of many the others are counted.
 */
export function describeAction(
  action: Proposal['action'],
  checks: readonly Check[] = [],
  opening = openingWords,
): Piece[] {
  return describeCall(action, describeValues(action.parameters, checks), opening)
}

/** The same of values that are told already. */
export function describeCall(
  { target_system, operation }: Pick<Proposal['action'], 'target_system' | 'operation'>,
  values: readonly Piece[],
  opening = openingWords,
): Piece[] {
  const joint = us(values.length === 0 ? ', without parameters' : ' with ')
  return [us(opening), theirs(operation), us(' on '), theirs(target_system), joint, ...values, us('.')]
}

/** "amount = 20, currency = "EUR" and order.id = "o-1"", as it stands in the sentence; nothing where there are no parameters. */
export function describeValues(
  parameters: Proposal['action']['parameters'],
  checks: readonly Check[] = [],
): Piece[] {
  const { told, decisive } = decisiveFirst(parameters, checks)
  const shown = told.slice(0, Math.max(valuesToldMax, decisive))
  return describeLeaves(shown, told.length - shown.length)
}

/** The same of values in this order, of which there are `more`. */
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

/** Whether the sentence leaves values out, or cuts one short, so that they are shown beside it. */
export function leavesValuesOut(parameters: Proposal['action']['parameters']): boolean {
  const leaves = leavesOf(parameters)
  return leaves.length > valuesToldMax || leaves.some(isCut)
}

/** Whether the sentence cuts a value short as it is written there, with quotes and escapes, or the names that lead to it. */
export function isCut(leaf: Leaf): boolean {
  return [wholePathOf(leaf), JSON.stringify(leaf.value)].some(text => [...text].length > textLengthMax)
}

const undoing: Readonly<Record<CatalogOperation['reversibility'], string>> = {
  reversible: 'It can be undone.',
  compensatable: 'It cannot be undone, but another operation can make up for it.',
  irreversible: 'It cannot be undone.',
}

/** Whether the operation can be undone, as it was reviewed. */
export function undoWords({ reversibility }: CatalogOperation): string {
  return undoing[reversibility]
}

/** `order.id`, `items.0`; a parameter that is called `order.id` itself is `"order.id"`. */
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
