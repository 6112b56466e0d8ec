import { limits } from '../../contract/base/limits.ts'
import type { Facts } from '../schema-facts.ts'
import type { Asked, SchemaIndex } from '../schema-index.ts'

export interface Level {
  book: SchemaIndex
  facts: Facts
}

/**
 * Expands `anyOf` and `allOf` into all ways to meet the schemas. Each way is a list of levels without
 * choices. Returns null if there are more ways than the bound.
 */
export function alternativesOf(meets: readonly Asked[]): Level[][] | null {
  if (meets.length === 0) return [[]]
  const ways: Level[][] = []
  writeOut(meets, [], ways)
  return ways.length > limits.verify_branches_max ? null : ways
}

function writeOut(pending: readonly Asked[], done: Level[], ways: Level[][]): void {
  if (ways.length > limits.verify_branches_max) return
  const [first, ...rest] = pending
  if (first === undefined) {
    ways.push(done)
    return
  }
  const { book } = first
  const facts = book.facts(first.schema)
  const levels = [...done, { book, facts }]
  const after = facts.all.length === 0 ? rest : [...facts.all.map(schema => ({ book, schema })), ...rest]
  if (facts.any === null) writeOut(after, levels, ways)
  else for (const schema of facts.any) writeOut([{ book, schema }, ...after], levels, ways)
}

/** Returns every level of the schemas, also inside opaque keywords, because each level may tell values apart. */
export function mentionedBy(asked: readonly Asked[]): Level[] {
  const levels: Level[] = []
  const pending = [...asked]
  for (const { book, schema } of pending) {
    const facts = book.facts(schema)
    levels.push({ book, facts })
    for (const inner of [...facts.all, ...(facts.any ?? []), ...facts.told])
      pending.push({ book, schema: inner })
  }
  return levels
}

/** Returns true if every level admits one of the type names and has no fixed constants. */
export function admitsFresh(levels: readonly Level[], ...names: string[]): boolean {
  return levels.every(({ facts: { constants, types } }) => {
    return constants === null && (types === null || names.some(name => types.has(name)))
  })
}
