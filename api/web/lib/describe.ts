import type { CatalogOperation } from '../../../shared/contract/catalog.ts'
import type { Proposal } from '../../../shared/contract/proposal.ts'
import type { Check } from '../../../shared/contract/verdict.ts'
import { counted } from './format.ts'
import { type Leaf, leavesOf } from './pretty-json.ts'

/** A stretch of a sentence: our own words, or a name or value that stands in the proposal. */
export interface Piece {
  text: string
  from: 'us' | 'proposal'
}

const valuesToldMax = 6
const valueLengthMax = 120

/**
 * What will happen, or what was asked, from what is executed and nothing else: system, operation and parameters. The agent's summary has no
 * part in it. Values that a rule of the policy looks at come first; of many the others are counted.
 */
export function describeAction(
  { target_system, operation, parameters }: Proposal['action'],
  checks: readonly Check[] = [],
  opening = 'The service will call ',
): Piece[] {
  const told = ruledFirst(leavesOf(parameters), checks)
  const pieces: Piece[] = [us(opening), theirs(operation), us(' on '), theirs(target_system)]
  const shown = told.slice(0, valuesToldMax)
  shown.forEach((leaf, place) => {
    pieces.push(us(place === 0 ? ' with ' : place === told.length - 1 ? ' and ' : ', '))
    pieces.push(theirs(leaf.path), us(' = '), theirs(shortValue(leaf)))
  })
  const rest = told.length - shown.length
  if (told.length === 0) pieces.push(us(', without parameters'))
  if (rest > 0) pieces.push(us(`, and ${counted(rest, 'further value')}`))
  return [...pieces, us('.')]
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

function ruledFirst(leaves: readonly Leaf[], checks: readonly Check[]): Leaf[] {
  const ruled = new Set(checks.flatMap(({ path }) => (path === null ? [] : [path])))
  const isRuled = ({ path }: Leaf): boolean => ruled.has(`action.parameters.${path}`)
  return [...leaves.filter(isRuled), ...leaves.filter(leaf => !isRuled(leaf))]
}

function shortValue({ value }: Leaf): string {
  const characters = [...JSON.stringify(value)]
  if (characters.length <= valueLengthMax) return characters.join('')
  return `${characters.slice(0, valueLengthMax).join('')}…`
}

function us(text: string): Piece {
  return { text, from: 'us' }
}

function theirs(text: string): Piece {
  return { text, from: 'proposal' }
}
