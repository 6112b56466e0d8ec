import type { Asked } from '../schema-index.ts'
import type { Level } from './alternatives.ts'
import { allTogether, partitions, waysMax } from './combinations.ts'
import { hasOpenAtom } from './open-atoms.ts'

/**
 * Groups of schemas. One array item breaks all schemas of a group. Without groups, the array's length or an
 * opaque keyword must break the schemas.
 */
export type ArrayViolation = readonly (readonly Asked[])[]

export interface ArrayViolations {
  breaches: ArrayViolation[]
  complete: boolean
}

const groupedMax = 4

/** Returns every way in which items of a non-constant array can break all schemas. The caller adds the lengths. */
export function arrayViolationsOf(breaks: readonly Asked[], met: readonly Level[]): ArrayViolations {
  const ways = allTogether(
    breaks.map(asked => waysToBreak(asked, met)),
    (left, right) => [...left, ...right],
    [],
  )
  const complete = ways.length <= waysMax && ways.every(way => way.length <= groupedMax)
  return { breaches: distinct(ways.slice(0, waysMax)).flatMap(groupsOf), complete }
}

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

function distinct(ways: readonly Asked[][]): Asked[][] {
  return ways.map(way =>
    way.filter(({ schema }, at) => way.findIndex(other => other.schema === schema) === at),
  )
}

function groupsOf(way: readonly Asked[]): ArrayViolation[] {
  return way.length <= groupedMax ? partitions(way) : [way.map(asked => [asked]), [[...way]]]
}
