import type { Emit } from './figure.ts'

export interface BenchOptions {
  emit: Emit
  /** A look, not a measurement: fewer and shorter rounds. */
  quick: boolean
}

/** A group of figures that can be asked for by name. It starts and ends everything it needs itself. */
export type Bench = (options: BenchOptions) => Promise<void>
