import { limits } from '../contract/base/limits.ts'

export interface Violation {
  place: string
  keyword: string
  /** The message after the position: "must be at most 100 (maximum)". It quotes no value that was sent. */
  expected: string
}

/** A list of faults, each position and keyword once, limited to the number that a verdict lists. */
export class Faults {
  private readonly found = new Map<string, Violation>()

  add(violation: Violation): void {
    if (!this.full) this.found.set(`${violation.keyword} ${violation.place}`, violation)
  }

  /** True once more faults are known than are listed, so that the search can stop. */
  get full(): boolean {
    return this.found.size > limits.schema_violations_max
  }

  list(): Violation[] {
    const listed = [...this.found.values()].slice(0, limits.schema_violations_max)
    return this.full ? [...listed, others] : listed
  }
}

const others: Violation = {
  place: '',
  keyword: 'others',
  expected: 'have more faults than are listed (others)',
}

/**
 * Appends a member's name to a position. The name is cut to 100 characters, because a caller may have chosen
 * it.
 */
export function memberPlace(place: string, name: string): string {
  return place === '' ? shorten(name) : `${place}.${shorten(name)}`
}

export function itemPlace(place: string, index: number): string {
  return `${place}[${index}]`
}

const nameLengthMax = 100

/**
 * Cuts a text to a number of UTF-16 units. It never splits a surrogate pair, so that the text stays valid
 * JSON.
 */
export function shorten(text: string, lengthMax = nameLengthMax): string {
  if (text.length <= lengthMax) return text
  const end = isHighSurrogate(text.charCodeAt(lengthMax - 2)) ? lengthMax - 2 : lengthMax - 1
  return `${text.slice(0, end)}…`
}

export function quote(name: string): string {
  return `"${shorten(name)}"`
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
