import type { JsonValue } from '../../contract/base/json.ts'
import { meetsDemand } from '../demand.ts'
import type { Found, Place } from '../path.ts'
import { JsonSet } from '../predicate.ts'
import type { Asked } from '../schema-index.ts'
import type { Doubt, StepBudget } from '../step-budget.ts'
import { unmodelledIn } from '../unmodelled.ts'

/** The trying of values at one place, and what came of it. */
export class Candidate {
  readonly place: Place
  readonly found: Found = { values: [], doubt: null }
  /** Constants that are mentioned for the place. */
  constants: readonly JsonValue[] = []
  private readonly tried = new JsonSet([])
  private readonly meter: StepBudget

  constructor(place: Place, meter: StepBudget) {
    this.place = place
    this.meter = meter
  }

  get enough(): boolean {
    return this.found.values.length >= this.place.want
  }

  tryConstants(constants: readonly JsonValue[]): boolean {
    this.constants = constants
    return this.tryAll(constants)
  }

  /** Whether a value that nothing mentions meets what is asked of the value itself, whatever is inside. */
  admitsFresh(fresh: JsonValue): boolean {
    return this.tried.has(fresh) || this.place.demand.predicates.every(({ holds }) => holds(fresh))
  }

  /** True once there are enough. */
  tryAll(values: readonly JsonValue[]): boolean {
    for (const value of values) {
      if (this.enough) return true
      this.try(value)
    }
    return this.enough
  }

  /** False, too, where it was tried before. */
  try(value: JsonValue): boolean {
    if (!this.tried.add(value)) return false
    const { demand, meets, breaks } = this.place
    this.meter.judge()
    if (!meetsDemand(demand, value)) return false
    for (const asked of meets) if (!this.meets(asked, value)) return false
    for (const asked of breaks) if (!this.breaks(asked, value)) return false
    this.found.values.push(value)
    return true
  }

  /** The first doubt is told. */
  doubt(doubt: Doubt): void {
    this.found.doubt ??= doubt
  }

  doubtKeywords({ book, schema }: Asked): void {
    const [keyword] = unmodelledIn(schema, book.root, this.place.path)
    if (keyword) this.doubt(keyword)
  }

  private meets(asked: Asked, value: JsonValue): boolean {
    const { book, schema } = asked
    if (book.meets(schema, value)) return true
    if (book.isUnmodelled(schema) && book.meetsRelaxed(schema, value)) this.doubtKeywords(asked)
    return false
  }

  /** A value that meets the modelled part may stand for others that do not meet the rest. */
  private breaks(asked: Asked, value: JsonValue): boolean {
    const { book, schema } = asked
    if (!book.meets(schema, value)) return true
    if (book.isUnmodelled(schema)) this.doubtKeywords(asked)
    return false
  }
}
