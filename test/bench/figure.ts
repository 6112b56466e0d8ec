/** One measured number. `ratio` is always value / floor; the floor was measured in the same run, in turns with it. */
export interface Figure {
  bench: string
  figure: string
  value: number
  unit: string
  floor?: number
  ratio?: number
  /** Lower and upper quartile of the value over the rounds. */
  spread?: [low: number, high: number]
  /** What else was seen, and what the floor is. */
  detail?: Record<string, number | string>
}

export type Emit = (figure: Figure) => void

/** One JSON line on standard output. */
export function printFigure(figure: Figure): void {
  process.stdout.write(`${JSON.stringify(inShort(figure))}\n`)
}

/** With no more digits than it is good for. */
export function inShort(figure: Figure): Figure {
  const { value, floor, ratio, spread, detail } = figure
  return {
    ...figure,
    value: rounded(value),
    ...(floor === undefined ? {} : { floor: rounded(floor) }),
    ...(ratio === undefined ? {} : { ratio: rounded(ratio) }),
    ...(spread === undefined ? {} : { spread: [rounded(spread[0]), rounded(spread[1])] }),
    ...(detail === undefined ? {} : { detail: roundedAll(detail) }),
  }
}

/** Progress goes to standard error. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** The median of rounds and how far they lie apart. */
export function measured(values: readonly number[]): Required<Pick<Figure, 'value' | 'spread'>> {
  return { value: median(values), spread: [quantile(values, 0.25), quantile(values, 0.75)] }
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The nearest rank; NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function roundedAll(detail: Record<string, number | string>): Record<string, number | string> {
  const entries = Object.entries(detail)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'number' ? rounded(value) : value]),
  )
}

function rounded(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3))
}
