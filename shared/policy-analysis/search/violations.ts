import type { Demand } from '../demand.ts'
import type { Asked } from '../schema-index.ts'
import type { Level } from './alternatives.ts'
import { allTogether, waysMax } from './combinations.ts'
import { hasOpenAtom } from './open-atoms.ts'

export interface Violation {
  readonly broken: readonly (readonly [name: string, schema: Asked])[]
  readonly present: readonly string[]
  readonly missing: readonly string[]
  readonly extra: boolean
}

export interface Violations {
  breaches: Violation[]
  complete: boolean
}

const untouched: Violation = { broken: [], present: [], missing: [], extra: false }

/**
 * Returns every way in which a non-constant object that meets `way` can break all schemas. Without schemas to
 * break, the only way changes nothing.
 */
export function violationsOf(breaks: readonly Asked[], way: readonly Level[], demand: Demand): Violations {
  const choices = breaks.map(asked => waysToBreak(asked, way, demand))
  const together = allTogether(choices, merged, untouched)
  return { breaches: together.slice(0, waysMax), complete: together.length <= waysMax }
}

function waysToBreak(asked: Asked, way: readonly Level[], demand: Demand): Violation[] {
  const { book, schema } = asked
  const facts = book.facts(schema)
  if (facts.constants !== null || (facts.types !== null && !facts.types.has('object'))) return [untouched]
  const inner = (part: Asked['schema']) => waysToBreak({ book, schema: part }, way, demand)
  return [
    ...(hasOpenAtom(asked, way) ? [untouched] : []),
    ...facts.required.map(name => ({ ...untouched, missing: [name] })),
    ...brokenMembers(asked, way),
    ...(facts.closed ? unlistedMembers(facts.properties, way, demand) : []),
    ...facts.all.flatMap(inner),
    ...(facts.any === null ? [] : allTogether(facts.any.map(inner), merged, untouched)),
  ]
}

/** Skips a member that must meet the same schema in `way`, because that member can never break the schema. */
function brokenMembers({ book, schema }: Asked, way: readonly Level[]): Violation[] {
  return [...book.facts(schema).properties].flatMap(([name, member]) => {
    const same = way.some(level => {
      const met = level.facts.properties.get(name)
      return met === member || (met !== undefined && level.book.text(met) === book.text(member))
    })
    return same ? [] : [{ ...untouched, broken: [[name, { book, schema: member }] as const] }]
  })
}

function unlistedMembers(
  listed: ReadonlyMap<string, unknown>,
  way: readonly Level[],
  demand: Demand,
): Violation[] {
  const known = [...way.flatMap(({ facts }) => [...facts.properties.keys()]), ...demand.children.keys()]
  const unlisted = [...new Set(known)].filter(name => !listed.has(name))
  return [{ ...untouched, extra: true }, ...unlisted.map(name => ({ ...untouched, present: [name] }))]
}

function merged(left: Violation, right: Violation): Violation {
  return {
    broken: [...left.broken, ...right.broken],
    present: [...left.present, ...right.present],
    missing: [...left.missing, ...right.missing],
    extra: left.extra || right.extra,
  }
}
