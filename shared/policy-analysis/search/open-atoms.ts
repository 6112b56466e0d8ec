import type { JsonValue } from '../../contract/base/json.ts'
import type { Asked } from '../schema-index.ts'
import type { Level } from './alternatives.ts'

/** Returns true if the schema has an opaque keyword that no level in `met` has. */
export function hasOpenAtom({ book, schema }: Asked, met: readonly Level[]): boolean {
  return book.facts(schema).atoms.some(atom => !met.some(({ facts }) => facts.atoms.includes(atom)))
}

/**
 * Returns true if a value that meets `meets` may still break the schema by an opaque keyword. A keyword that
 * is already met at the same position cannot be broken. In doubt, the result is true.
 */
export function mayBreakByAtom(asked: Asked, meets: readonly Asked[]): boolean {
  const { book, schema } = asked
  if (!book.isUnmodelled(schema)) return false
  if (meets.some(met => isSame(met, asked))) return false
  const met = metBy(meets)
  if (hasOpenAtom(asked, met)) return true
  const { properties, items, all, any } = book.facts(schema)
  const here = (part: JsonValue) => mayBreakByAtom({ book, schema: part }, meets)
  const inside = (part: JsonValue | undefined, inner: (level: Level) => JsonValue | undefined) =>
    part !== undefined && mayBreakByAtom({ book, schema: part }, insideOf(met, inner))
  return (
    all.some(here) ||
    (any ?? []).some(here) ||
    inside(items, ({ facts }) => facts.items) ||
    [...properties].some(([name, part]) => inside(part, ({ facts }) => facts.properties.get(name)))
  )
}

function isSame(met: Asked, asked: Asked): boolean {
  return met.book.text(met.schema) === asked.book.text(asked.schema)
}

function metBy(meets: readonly Asked[]): Level[] {
  return meets.flatMap(({ book, schema }) => {
    const facts = book.facts(schema)
    return [{ book, facts }, ...metBy(facts.all.map(part => ({ book, schema: part })))]
  })
}

function insideOf(met: readonly Level[], inner: (level: Level) => JsonValue | undefined): Asked[] {
  return met.flatMap(level => {
    const schema = inner(level)
    return schema === undefined ? [] : [{ book: level.book, schema }]
  })
}
