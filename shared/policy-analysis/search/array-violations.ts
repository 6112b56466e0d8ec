import type { Asked } from '../schema-index.ts'
import type { Level } from './alternatives.ts'
import { allTogether, partitions, waysMax } from './combinations.ts'
import { hasOpenAtom } from './open-atoms.ts'

/** Schemas that items break, in groups: each group by one item. Without any, other things about the array have to. */
export type ArrayViolation = readonly (readonly Asked[])[]

export interface ArrayViolations {
  breaches: ArrayViolation[]
  /** False where there are more ways than the bounds admit. */
  complete: boolean
}

/** With more schemas, not all of their groups are looked at. */
const groupedMax = 4

/** Every way for an array that is no constant to break all of the schemas by its items; lengths come with all of them. */
export function arrayViolationsOf(breaks: readonly Asked[], met: readonly Level[]): ArrayViolations {
  const ways = allTogether(
    breaks.map(asked => waysToBreak(asked, met)),
    (left, right) => [...left, ...right],
    [],
  )
  const complete = ways.length <= waysMax && ways.every(way => way.length <= groupedMax)
  return { breaches: distinct(ways.slice(0, waysMax)).flatMap(groupsOf), complete }
}

/** Lists of schemas for items to break. */
function waysToBreak(asked: Asked, met: readonly Level[]): Asked[][] {
  const { book, schema } = asked
  const { types, constants, minItems, maxItems, items, all, any } = book.facts(schema)
  if (constants !== null || (types !== null && !types.has('array'))) return [[]]
  const inner = (part: Asked['schema']) => waysToBreak({ book, schema: part }, met)
  const bounded = minItems > 0 || maxItems < Number.POSITIVE_INFINITY
  return [
    ...(bounded || hasOpenAtom(asked, met) ? [[]] : []),
    ...(items === undefined ? [] : [[{ book, schema: items }]]),
    ...all.flatMap(inner),
    ...(any === null ? [] : allTogether(any.map(inner), (left, right) => [...left, ...right], [])),
  ]
}

/** One schema is broken once. */
function distinct(ways: readonly Asked[][]): Asked[][] {
  return ways.map(way =>
    way.filter(({ schema }, at) => way.findIndex(other => other.schema === schema) === at),
  )
}

function groupsOf(way: readonly Asked[]): ArrayViolation[] {
  return way.length <= groupedMax ? partitions(way) : [way.map(asked => [asked]), [[...way]]]
}
