import { useId, useState } from 'react'
import { formatNumber } from '../lib/format.ts'

export interface ChartPart<Step> {
  name: string
  tone: 'good' | 'warn' | 'bad' | 'odd'
  of(step: Step): number
}

interface StepChartProps<Step> {
  title: string
  /** The unit of all values, such as "decisions". */
  unit: string
  steps: readonly Step[]
  parts: readonly ChartPart<Step>[]
  labelOf(step: Step): string
  keyOf(step: Step): string
}

const fills = { good: 'fill-good', warn: 'fill-warn', bad: 'fill-bad', odd: 'fill-odd' }
const swatches = { good: 'bg-good', warn: 'bg-warn', bad: 'bg-bad', odd: 'bg-odd' }
const height = 100

/**
 * Draws counts per time step as bars. A person reads one step at a time with the pointer, or with the browser's
 * slider, because the slider works with keyboard, touch and screen readers.
 */
export function StepChart<Step>({ title, unit, steps, parts, labelOf, keyOf }: StepChartProps<Step>) {
  const [chosen, setChosen] = useState(steps.length - 1)
  const id = useId()
  const at = Math.min(chosen, steps.length - 1)
  const step = steps[at]
  if (!step) return null
  const told = (one: Step) =>
    parts.map(({ name, of }) => `${formatNumber(of(one))} ${name.toLowerCase()}`).join(', ')
  const highest = Math.max(...steps.map(one => totalOf(one, parts)))
  return (
    <figure className="min-w-0" aria-labelledby={id}>
      <figcaption className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <span id={id} className="font-medium">
          {title}
        </span>
        <span className="text-sm text-soft tabular-nums">
          {labelOf(step)}: {told(step)}
        </span>
      </figcaption>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <ValueAxis top={roundTop(highest)} unit={unit} />
        <Bars steps={steps} parts={parts} top={roundTop(highest)} at={at} keyOf={keyOf} onRead={setChosen} />
        <StepAxis
          labels={[0, Math.floor(steps.length / 2), steps.length - 1].map(place =>
            labelAt(steps, place, labelOf),
          )}
        />
        <input
          type="range"
          className="col-start-2 mt-1 w-full accent-accent"
          aria-label={`${title}: the step that is read`}
          aria-valuetext={`${labelOf(step)}: ${told(step)}`}
          min={0}
          max={steps.length - 1}
          value={at}
          onChange={event => setChosen(Number(event.currentTarget.value))}
        />
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
        {parts.map(({ name, tone }) => (
          <li key={name} className="flex items-center gap-1.5">
            <span className={`size-3 rounded-sm ${swatches[tone]}`} aria-hidden />
            {name}
          </li>
        ))}
      </ul>
    </figure>
  )
}

function labelAt<Step>(steps: readonly Step[], place: number, labelOf: (step: Step) => string): string {
  const step = steps[place]
  return step ? labelOf(step) : ''
}

function totalOf<Step>(step: Step, parts: readonly ChartPart<Step>[]): number {
  return parts.reduce((sum, { of }) => sum + of(step), 0)
}

/** Rounds up to an even, readable number, such as 2, 4, 10, 20, 40 or 100, so that half of it is whole too. */
function roundTop(highest: number): number {
  if (highest <= 2) return 2
  const tens = 10 ** Math.floor(Math.log10(highest))
  return [1, 2, 4, 10].map(factor => factor * tens).find(top => top >= highest && top % 2 === 0) ?? highest
}

function ValueAxis({ top, unit }: { top: number; unit: string }) {
  return (
    <div className="flex h-36 flex-col justify-between text-right text-xs text-soft tabular-nums" aria-hidden>
      <span className="leading-none">
        {formatNumber(top)} <span className="sr-only sm:not-sr-only">{unit}</span>
      </span>
      <span className="leading-none">{formatNumber(top / 2)}</span>
      <span className="leading-none">0</span>
    </div>
  )
}

function StepAxis({ labels }: { labels: readonly string[] }) {
  return (
    <div className="col-start-2 mt-1 flex justify-between gap-2 text-xs text-soft" aria-hidden>
      {labels.map(label => (
        <span key={label}>{label}</span>
      ))}
    </div>
  )
}

interface BarsProps<Step> {
  steps: readonly Step[]
  parts: readonly ChartPart<Step>[]
  top: number
  at: number
  keyOf(step: Step): string
  onRead(place: number): void
}

/**
 * Draws the bars, each one unit wide. Screen readers skip them, because a table beside them has the same values.
 */
function Bars<Step>({ steps, parts, top, at, keyOf, onRead }: BarsProps<Step>) {
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${steps.length} ${height}`}
      preserveAspectRatio="none"
      className="h-36 w-full"
      onPointerMove={({ clientX, currentTarget }) => {
        const { left, width } = currentTarget.getBoundingClientRect()
        const place = Math.floor(((clientX - left) / width) * steps.length)
        onRead(Math.min(Math.max(place, 0), steps.length - 1))
      }}
    >
      <rect x={at} y={0} width={1} height={height} className="fill-sunken" />
      {[0, height / 2, height].map(y => (
        <path
          key={y}
          d={`M0 ${y} H${steps.length}`}
          className="stroke-line"
          vectorEffect="non-scaling-stroke"
        />
      ))}
      {steps.map((step, place) =>
        parts.map(({ name, tone, of }, part) => {
          const below = totalOf(step, parts.slice(0, part))
          const tall = (of(step) / top) * height
          return tall === 0 ? null : (
            <rect
              key={`${keyOf(step)} ${name}`}
              x={place + 0.12}
              y={height - (below / top) * height - tall}
              width={0.76}
              height={tall}
              className={`${fills[tone]} stroke-surface`}
              vectorEffect="non-scaling-stroke"
            />
          )
        }),
      )}
    </svg>
  )
}
