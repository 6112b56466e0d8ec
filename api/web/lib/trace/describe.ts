import type { Proposal } from '../../../../shared/contract/action/proposal-schema.ts'
import type { Check } from '../../../../shared/contract/action/verdict.ts'
import type { CatalogOperation } from '../../../../shared/contract/configuration/catalog.ts'
import { counted } from '../format.ts'
import { type Leaf, leavesOf } from './pretty-json.ts'

/** A stretch of a sentence: our own words, or a name or value that stands in the proposal. */
export interface Piece {
  text: string
  from: 'us' | 'proposal'
}

const valuesToldMax = 6
/** Names of what is paid, how much of it and to whom: such a value is never only counted. */
const moneyName =
  /amount|total|price|sum|value|quantity|count|limit|fee|cost|balance|rate|tip|discount|currency|iban|bic|account|recipient|payee|beneficiary|creditor|debtor|card|wallet|address|mail|url|^to$/i
const textLengthMax = 120
/** Names that cannot be taken for several names, nor for a name with its value; others are quoted. */
const plainName = /^[\p{L}\p{M}\p{N}_$@:/-]+$/u

/**
 * What will happen, or what was asked, from what is executed and nothing else: system, operation and parameters. The agent's summary has no
 * part in it. Values that a rule of the policy looks at come first, then those about money; of many the others are counted.
 */
export function describeAction(
  { target_system, operation, parameters }: Proposal['action'],
  checks: readonly Check[] = [],
  opening = 'The service will call ',
): Piece[] {
  const values = describeValues(parameters, checks)
  const joint = us(values.length === 0 ? ', without parameters' : ' with ')
  return [us(opening), theirs(operation), us(' on '), theirs(target_system), joint, ...values, us('.')]
}

/** "amount = 20, currency = "EUR" and order.id = "o-1"", as it stands in the sentence; nothing where there are no parameters. */
export function describeValues(
  parameters: Proposal['action']['parameters'],
  checks: readonly Check[] = [],
): Piece[] {
  const { told, decisive } = decisiveFirst(leavesOf(parameters), checks)
  const shown = told.slice(0, Math.max(valuesToldMax, decisive))
  const pieces = shown.flatMap((leaf, place) => {
    const joint = place === told.length - 1 ? ' and ' : ', '
    const pair = [theirs(pathOf(leaf)), us(' = '), theirs(shortened(JSON.stringify(leaf.value)))]
    return place === 0 ? pair : [us(joint), ...pair]
  })
  const rest = told.length - shown.length
  return rest > 0 ? [...pieces, us(`, and ${counted(rest, 'further value')}`)] : pieces
}

/** Whether the sentence leaves values out, or cuts one short, so that they are shown beside it. */
export function leavesValuesOut(parameters: Proposal['action']['parameters']): boolean {
  const leaves = leavesOf(parameters)
  const isCut = ({ value }: Leaf): boolean => [...JSON.stringify(value)].length > textLengthMax
  return leaves.length > valuesToldMax || leaves.some(isCut)
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

function decisiveFirst(
  leaves: readonly Leaf[],
  checks: readonly Check[],
): { told: Leaf[]; decisive: number } {
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

/** `order.id`, `items.0`; a parameter that is called `order.id` itself is `"order.id"`. */
function pathOf({ way }: Leaf): string {
  return shortened(way.map(name => (plainName.test(name) ? name : JSON.stringify(name))).join('.'))
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
