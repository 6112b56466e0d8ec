import type { InboxAction } from '../../../../shared/contract/action/inbox-schema.ts'
import { amountsIn, type Leaf, targetsIn } from '../../../../shared/lifecycle/told-values.ts'
import { exactSum } from '../decimal.ts'
import { type AmountGroup, type BatchField, outliersOf } from './batch-outliers.ts'
import { type Piece, wholePathOf } from './describe.ts'

export interface BatchedAction {
  action: InboxAction
  /** The application's name; null if all actions of the batch belong to one application. */
  application: string | null
  values: readonly Leaf[]
}

export interface BatchCell {
  text: string
  /** An excerpt that tells a long text from others with the same beginning, or null. */
  variant: { at: number; text: string; number: number; of: number } | null
}

export interface BatchRow {
  action: InboxAction
  /** Cells in the order of the columns. A cell is null if the action lacks the value. */
  cells: readonly (BatchCell | null)[]
  /** Differing values without a column, because a table has at most `columnsMax` columns. */
  others: readonly { title: string; text: string }[]
  reasons: readonly (readonly Piece[])[]
}

export interface BatchSum {
  /** The operation whose amounts are summed; null if the batch has only one operation. */
  call: Pick<InboxAction, 'operation' | 'target_system'> | null
  title: string
  currency: string | null
  sum: string
  count: number
}

/** A table that compares the actions of a batch for the person who decides them together. */
export interface BatchTable {
  same: readonly BatchField[]
  columns: readonly BatchField[]
  others: number
  /** Rows with the most reasons first, so that outliers are at the top. */
  rows: readonly BatchRow[]
  sums: readonly BatchSum[]
  /** The number of amounts that are not numbers, so that no sum includes them. */
  unsummed: number
}

const columnsMax = 12
/** The number of characters that a cell shows of a longer text. */
export const cellLengthMax = 200
const variantLength = 60

/** Compares the actions of a batch. Omits no difference: values without a column are listed in their row. */
export function batchTable(batch: readonly BatchedAction[]): BatchTable {
  const fields = fieldsOf(batch)
  const isSame = ({ texts }: BatchField): boolean =>
    texts.size === batch.length && new Set(texts.values()).size === 1
  const differing = fields.filter(field => !isSame(field))
  const columns = differing.slice(0, columnsMax)
  const rest = differing.slice(columnsMax)
  const others = batch.map((): { title: string; text: string }[] => [])
  for (const { title, texts } of rest) for (const [place, text] of texts) others[place]?.push({ title, text })
  const cells = columns.map(cellsOf)
  const groups = amountGroups(batch)
  const outliers = outliersOf(batch.length, groups, differing)
  const rows = batch.map(({ action }, place) => ({
    action,
    cells: cells.map(column => column.get(place) ?? null),
    others: others[place] ?? [],
    reasons: outliers.get(place) ?? [],
  }))
  return {
    same: fields.filter(isSame),
    columns,
    others: rest.length,
    rows: rows.sort((one, other) => other.reasons.length - one.reasons.length),
    ...sumsOf(batch, groups),
  }
}

const facts: readonly (readonly [string, (batched: BatchedAction) => string | null])[] = [
  ['Application', ({ application }) => application],
  ['Operation', ({ action }) => action.operation],
  ['System', ({ action }) => action.target_system],
  ['Agent', ({ action }) => action.agent_id],
  ['Key', ({ action: { key } }) => `${key.name} (${key.key_id})`],
  ['Risk', ({ action: { effective_risk: risk } }) => risk.level],
  ['Review route', ({ action }) => action.review_route],
]

/** Returns all fields in order: facts, amounts with their currencies, targets, and then all other values. */
function fieldsOf(batch: readonly BatchedAction[]): BatchField[] {
  const byKey = new Map<string, BatchField & { rank: number; texts: Map<number, string> }>()
  const put = (key: string, field: Omit<BatchField, 'key' | 'texts'> & { rank: number }) => {
    const known = byKey.get(key) ?? { ...field, key, texts: new Map<number, string>() }
    known.rank = Math.min(known.rank, field.rank)
    byKey.set(key, known)
    return known.texts
  }
  for (const [place, batched] of batch.entries()) {
    for (const [title, of] of facts) {
      const text = of(batched)
      if (text !== null && text !== '') put(title, { title, from: 'us', rank: 0 }).set(place, text)
    }
    const rankOf = ranksOf(batched.values)
    for (const leaf of batched.values) {
      const title = wholePathOf(leaf)
      const key = JSON.stringify(leaf.way)
      put(key, { title, from: 'proposal', rank: rankOf(key) }).set(place, JSON.stringify(leaf.value))
    }
  }
  return [...byKey.values()].sort((one, other) => one.rank - other.rank)
}

function ranksOf(values: readonly Leaf[]): (key: string) => number {
  const amounts = amountsIn(values)
  const ranks = new Map([
    ...targetsIn(values).map(({ way }) => [JSON.stringify(way), 2] as const),
    ...amounts.map(({ way }) => [JSON.stringify([...way.slice(0, -1), 'currency']), 1] as const),
    ...amounts.map(({ way }) => [JSON.stringify(way), 1] as const),
  ])
  return key => ranks.get(key) ?? 3
}

/** Builds the cells of a column. If long texts begin alike, each cell shows where its text differs. */
function cellsOf({ texts }: BatchField): Map<number, BatchCell> {
  const alike = new Map<string, string[]>()
  for (const text of new Set(texts.values())) {
    const beginning = beginningOf(text)
    if (beginning !== text) alike.set(beginning, [...(alike.get(beginning) ?? []), text])
  }
  const cells = [...texts].map(([place, text]) => {
    const group = alike.get(beginningOf(text)) ?? []
    return [place, { text, variant: group.length < 2 ? null : variantOf(text, group) }] as const
  })
  return new Map(cells)
}

function beginningOf(text: string): string {
  const characters = [...text]
  return characters.length <= cellLengthMax * 1.25 ? text : characters.slice(0, cellLengthMax).join('')
}

function variantOf(text: string, group: readonly string[]): BatchCell['variant'] {
  const sorted = [...group].sort()
  const [first, last] = [[...(sorted[0] ?? '')], [...(sorted.at(-1) ?? '')]]
  const parting = first.findIndex((character, at) => character !== last[at])
  const at = parting < 0 ? first.length : parting
  const shown = [...text].slice(at, at + variantLength).join('')
  return { at: at + 1, text: shown, number: group.indexOf(text) + 1, of: group.length }
}

/**
 * Adds amounts exactly. Each operation, name and currency has its own sum, because unlike amounts must not be
 * added.
 */
function sumsOf(
  batch: readonly BatchedAction[],
  all: readonly AmountGroup[],
): Pick<BatchTable, 'sums' | 'unsummed'> {
  const kinds = new Set(batch.map(({ action }) => callKey(action)))
  const sums = all
    .filter(({ numbers }) => numbers.length > 0)
    .map(({ action, title, currency, numbers }) => ({
      call: kinds.size > 1 ? action : null,
      title,
      currency,
      sum: exactSum(numbers.map(({ value }) => value)),
      count: numbers.length,
    }))
  return { sums, unsummed: all.reduce((sum, { texts }) => sum + texts.length, 0) }
}

function amountGroups(batch: readonly BatchedAction[]): AmountGroup[] {
  const groups = new Map<string, AmountGroup>()
  for (const [place, { action, values }] of batch.entries())
    for (const amount of amountsIn(values)) {
      const { way, value, currency } = amount
      const key = JSON.stringify([callKey(action), way, currency])
      const title = wholePathOf(amount)
      const group = groups.get(key) ?? { action, title, currency, numbers: [], texts: [] }
      groups.set(key, group)
      if (typeof value === 'number') group.numbers.push({ place, value })
      else group.texts.push(place)
    }
  return [...groups.values()]
}

function callKey({ tenant_id, target_system, operation }: InboxAction): string {
  return JSON.stringify([tenant_id, target_system, operation])
}
