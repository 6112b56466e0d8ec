import { formatNumber } from '../../lib/format.ts'

export interface TrendPoint {
  /** Milliseconds since the epoch. */
  at: number
  value: number
}

const width = 120
const height = 32
const gapMs = 150_000

/** Draws a small line chart. Missing minutes are gaps in the line, and screen readers get a description. */
export function TrendLine({
  points,
  what,
  span,
}: {
  points: readonly TrendPoint[]
  what: string
  span: number
}) {
  const last = points.at(-1)
  if (!last || points.length < 2)
    return <p className="h-8 pt-2 text-xs text-soft">No history of the last hour yet</p>
  const values = points.map(({ value }) => value)
  const highest = Math.max(...values)
  const place = ({ at, value }: TrendPoint): Place => ({
    x: width - ((last.at - at) / span) * width,
    y: height - 2 - (highest === 0 ? 0 : (value / highest) * (height - 4)),
  })
  const lines = stretches(points).map(stretch => stretch.map(place))
  return (
    <svg
      role="img"
      aria-label={`${what} in the last hour: lowest ${formatNumber(Math.min(...values))}, highest ${formatNumber(highest)}, last ${formatNumber(last.value)}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="h-8 w-full overflow-visible text-accent"
    >
      <path
        d={`M0 ${height} H${width}`}
        className="fill-none stroke-line"
        vectorEffect="non-scaling-stroke"
      />
      {lines.map(line => (
        <g key={line[0]?.x}>
          <path d={`${drawn(line)} V${height} H${line[0]?.x ?? 0} Z`} className="fill-current opacity-10" />
          <path
            d={drawn(line)}
            className="fill-none stroke-current"
            strokeWidth="1.5"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </g>
      ))}
    </svg>
  )
}

interface Place {
  x: number
  y: number
}

function drawn(line: readonly Place[]): string {
  return line.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join(' ')
}

function stretches(points: readonly TrendPoint[]): TrendPoint[][] {
  const all: TrendPoint[][] = []
  for (const point of points) {
    const before = all.at(-1)?.at(-1)
    if (before && point.at - before.at <= gapMs) all.at(-1)?.push(point)
    else all.push([point])
  }
  return all
}
