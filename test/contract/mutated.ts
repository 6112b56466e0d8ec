import fc from 'fast-check'
import { readableJson } from '../support/fixtures/json-arbitrary.ts'

/** Values near those of an arbitrary: one place of each is changed, so that most are wrong in one respect. */
export function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(values, fc.nat(10_000), fc.nat(changes.length - 1), readableJson)
    .map(([value, at, change, other]) => changedAt(value, at, changes[change]?.(other) ?? (() => other)))
}

/** A value with each place changed in each way: slower than chance, and misses nothing. */
export function everyMutation(value: unknown): unknown[] {
  return placesIn(value).flatMap(path =>
    changes.map(change => withChange(value, path, change('another value'))),
  )
}

type Change = (value: unknown) => unknown

/** Undefined removes a member. */
const changes: readonly ((other: unknown) => Change)[] = [
  () => () => undefined,
  other => () => other,
  () => () => null,
  () => value => [value],
  () => () => ({}),
  () => () => '',
  () => () => 'x'.repeat(5000),
  () => () => -1,
  () => () => 1.5,
  () => value => (typeof value === 'string' ? `${value} ` : JSON.stringify(value)),
  other => value => (isRecord(value) ? { ...value, unknown_field: other } : value),
  () => value => (Array.isArray(value) ? Array(1001).fill(value[0] ?? 'x') : value),
]

/** The value with the place that a number picks changed, the whole among them. */
function changedAt(value: unknown, at: number, change: Change): unknown {
  const places = placesIn(value)
  const path = places[at % places.length] ?? []
  return withChange(value, path, change)
}

function placesIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]]
  return [
    [],
    ...Object.entries(value).flatMap(([name, member]) => placesIn(member).map(path => [name, ...path])),
  ]
}

function withChange(value: unknown, [step, ...rest]: readonly string[], change: Change): unknown {
  if (step === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.map((item, at) => (String(at) === step ? (withChange(item, rest, change) ?? null) : item))
  }
  const record = value as Record<string, unknown>
  const { [step]: _gone, ...others } = record
  const member = withChange(record[step], rest, change)
  return member === undefined ? others : { ...others, [step]: member }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
