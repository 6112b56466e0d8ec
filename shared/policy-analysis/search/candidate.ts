import type { JsonValue } from '../../contract/base/json.ts'
import { meetsDemand } from '../demand.ts'
import type { Found, Place } from '../path.ts'
import { JsonSet } from '../predicate.ts'
import type { Asked } from '../schema-index.ts'
import type { Doubt, StepBudget } from '../step-budget.ts'
import { unmodelledIn } from '../unmodelled.ts'
import { mayBreakByAtom } from './open-atoms.ts'

export class Candidate {
  readonly place: Place
  readonly found: Found = { values: [], doubt: null }
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

  admitsFresh(fresh: JsonValue): boolean {
    return this.tried.has(fresh) || this.place.demand.predicates.every(({ holds }) => holds(fresh))
  }

  tryAll(values: readonly JsonValue[]): boolean {
    for (const value of values) {
      if (this.enough) return true
      this.try(value)
    }
    return this.enough
  }

  /** Tries a value. Returns false if the value does not fit or was tried before. */
  try(value: JsonValue): boolean {
    if (!this.tried.add(value)) return false
    const { demand, meets, breaks } = this.place
    this.meter.judge()
    if (!meetsDemand(demand, value)) return false
    let open: Asked | null = null
    for (const asked of meets) {
      const holds = this.meets(asked, value)
      if (holds === 'never') return false
      if (holds === 'by an atom') open ??= asked
    }
    for (const asked of breaks) {
      const holds = this.breaks(asked, value)
      if (holds === 'never') return false
      if (holds === 'by an atom') open ??= asked
    }
    if (open) this.doubtKeywords(open)
    else this.found.values.push(value)
    return open === null
  }

  doubt(doubt: Doubt): void {
    this.found.doubt ??= doubt
  }

  doubtKeywords({ book, schema }: Asked): void {
    const [keyword] = unmodelledIn(schema, book.root, this.place.path)
    if (keyword) this.doubt(keyword)
  }

  private meets({ book, schema }: Asked, value: JsonValue): Holds {
    if (book.meets(schema, value)) return 'always'
    return book.isUnmodelled(schema) && book.meetsRelaxed(schema, value) ? 'by an atom' : 'never'
  }

  /**
   * Decides whether a value breaks a schema. A value that meets the modelled part may represent another value
   * that breaks an opaque keyword.
   */
  private breaks(asked: Asked, value: JsonValue): Holds {
    const { book, schema } = asked
    if (!book.meetsRelaxed(schema, value)) return 'always'
    const isOpen = mayBreakByAtom(asked, this.place.meets)
    if (!isOpen) return 'never'
    return book.meets(schema, value) ? 'by an atom' : 'always'
  }
}

/** The result for the class of a value: it always fits, may fit by an opaque keyword, or never fits. */
type Holds = 'always' | 'by an atom' | 'never'
