/** One measured thing over time; null where it could not be read at that moment. */
export interface Series {
  name: string
  unit: string
  /** Seconds since the load began, and what was measured then. */
  points: readonly Point[]
  /**
   * The least rise over the judged part that can be a finding, in the unit: what comes and goes by itself; null for what is
   * shown only, because it tells of the machine as much as of the service.
   */
  grain: number | null
}

export interface Point {
  at: number
  value: number
}

export interface Judgement {
  name: string
  unit: string
  verdict: 'flat' | 'growing' | 'too_short' | 'shown'
  /** Of the judged part: its level at the beginning and how much the fitted line rises over it. */
  level: number
  rise: number
  /** The drift in percent of the level, in an hour. */
  percent_an_hour: number
  /** By how many of its standard errors the slope is above nothing. */
  certainty: number
}

/** The drift below which a line is flat, in percent an hour. */
export const percentAnHourMax = 2
/** Slopes less certain than this are noise: about one in eight hundred with six degrees of freedom. */
const certaintyMin = 5
const blocks = 8
/** In these the line has to go on rising. */
const lateBlocks = 5
const pointsOfBlockMin = 3

/**
 * Fits a line through the last two thirds; the first third is warm-up. Of each of eight blocks the lowest value counts,
 * which takes garbage that is not collected yet out of memory and requests under way out of counts. What grows has to rise
 * by more than the bound and the grain, with certainty, and to go on rising in the last of them: a warm-up that is
 * longer than a third flattens, a leak does not.
 */
export function judge({ name, unit, points, grain }: Series): Judgement {
  const end = points.at(-1)?.at ?? 0
  const least = grain ?? 0
  const judged = points.filter(({ at }) => at >= end / 3)
  if (judged.length < blocks * pointsOfBlockMin)
    return { name, unit, verdict: 'too_short', level: 0, rise: 0, percent_an_hour: 0, certainty: 0 }
  const lows = lowest(judged, blocks)
  const { slope, certainty, from } = fitLine(lows)
  const level = from(end / 3)
  const rise = slope * end * (2 / 3)
  const percent_an_hour = (slope * 3_600 * 100) / Math.max(Math.abs(level), least, Number.EPSILON)
  const late = fitLine(lows.slice(-lateBlocks)).slope
  const grows =
    certainty > certaintyMin && percent_an_hour > percentAnHourMax && rise > least && late > slope * 0.45
  const verdict = grows ? 'growing' : 'flat'
  return { name, unit, verdict: grain === null ? 'shown' : verdict, level, rise, percent_an_hour, certainty }
}

function lowest(points: readonly Point[], count: number): Point[] {
  return Array.from({ length: count }, (_, block) => {
    const share = points.slice(
      Math.floor((block * points.length) / count),
      Math.floor(((block + 1) * points.length) / count),
    )
    const value = Math.min(...share.map(point => point.value))
    return { at: mean(share.map(({ at }) => at)), value }
  })
}

interface Line {
  slope: number
  certainty: number
  from(at: number): number
}

/** Least squares. */
function fitLine(points: readonly Point[]): Line {
  const middle = { at: mean(points.map(({ at }) => at)), value: mean(points.map(({ value }) => value)) }
  const spread = sum(points.map(({ at }) => (at - middle.at) ** 2))
  const slope = sum(points.map(({ at, value }) => (at - middle.at) * (value - middle.value))) / spread
  const from = (at: number): number => middle.value + slope * (at - middle.at)
  const left = sum(points.map(({ at, value }) => (value - from(at)) ** 2))
  const error = Math.sqrt(left / (points.length - 2) / spread)
  return { slope, certainty: certaintyOf(slope, error), from }
}

function certaintyOf(slope: number, error: number): number {
  if (slope === 0) return 0
  return error === 0 ? Math.sign(slope) * Number.MAX_SAFE_INTEGER : slope / error
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length
}
