import { limits } from '../contract/base/limits.ts'

/** One place in the parameters that does not meet the schema. */
export interface Violation {
  /** Path within the parameters, `items[3].price`; empty for the parameters as a whole. */
  place: string
  keyword: string
  /** What is expected there, after the name of the place: "must be at most 100 (maximum)". Nothing of the values that were sent. */
  expected: string
}

/** Each place and keyword once, and no more than a verdict should list. */
export class Faults {
  private readonly found = new Map<string, Violation>()

  add(violation: Violation): void {
    if (!this.full) this.found.set(`${violation.keyword} ${violation.place}`, violation)
  }

  /** One more than is listed: nothing else needs to be found. */
  get full(): boolean {
    return this.found.size > limits.schema_violations_max
  }

  list(): Violation[] {
    const listed = [...this.found.values()].slice(0, limits.schema_violations_max)
    return this.full ? [...listed, others] : listed
  }
}

/** Stands for those beyond the limit. */
const others: Violation = {
  place: '',
  keyword: 'others',
  expected: 'have more faults than are listed (others)',
}

/** Names may be a caller's: they are cut. */
export function memberPlace(place: string, name: string): string {
  return place === '' ? shorten(name) : `${place}.${shorten(name)}`
}

export function itemPlace(place: string, index: number): string {
  return `${place}[${index}]`
}

const nameLengthMax = 100

/** At most so many UTF-16 code units of a text; a surrogate pair is never cut, so the result can stand in canonical JSON. */
export function shorten(text: string, lengthMax = nameLengthMax): string {
  if (text.length <= lengthMax) return text
  const end = isHighSurrogate(text.charCodeAt(lengthMax - 2)) ? lengthMax - 2 : lengthMax - 1
  return `${text.slice(0, end)}…`
}

/** A name as messages show it. */
export function quote(name: string): string {
  return `"${shorten(name)}"`
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
