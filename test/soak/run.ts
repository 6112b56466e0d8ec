import { setTimeout as pause } from 'node:timers/promises'
import { type Judgement, judge } from './judge.ts'
import { type Load, startLoad } from './load.ts'
import { type Sampler, startSampler } from './sampler.ts'
import { openWorld, type World } from './world.ts'

export interface SoakOptions {
  minutes: number
  /** Proposals a second. */
  rate: number
  tell(text: string): void
}

export interface SoakReport {
  minutes: number
  rate: number
  actions: number
  requests: number
  /** Requests that were answered with 429 or 503, or not in time, and sent again. */
  turned_away: number
  series: (Judgement & { begin: number; end: number; highest: number })[]
  /** Resident MiB at rest, before the load and after all of it has settled. */
  at_rest: Record<'api' | 'worker', { before: number; after: number }>
  /** Growth of each table with its indexes, in bytes an action. */
  bytes_an_action: Record<string, number>
  findings: string[]
}

const sampleMs = 5_000
const restMs = 5_000
const settleMsMax = 60_000
const restBytesMax = 150_000_000
const turnedAwayMax = 0.01
const mebibyte = 2 ** 20

/** Mixed load on a world of its own, then the verdict. */
export async function run({ minutes, rate, tell }: SoakOptions): Promise<SoakReport> {
  const world = await openWorld()
  try {
    tell('at rest')
    await pause(restMs)
    const sampler = startSampler(world, sampleMs)
    const before = await residents(sampler)
    const tables = await sampler.tables()
    const load = await startLoad(urlOf(world), world.tenants, rate)
    await watch(minutes, sampler, load, tell)
    await load.stop()
    await sampler.stop()
    tell('the load has ended; waiting until everything is settled')
    const lost = await unsettled(world, load)
    await pause(restMs)
    const after = await residents(sampler)
    const actions = load.acknowledged.size
    const grown = [...(await sampler.tables())].map(
      ([name, bytes]) => [name, (bytes - (tables.get(name) ?? 0)) / Math.max(1, actions)] as const,
    )
    const series = sampler.series().map(each => {
      const values = each.points.map(({ value }) => value)
      const [begin = 0, end = 0] = [values[0], values.at(-1)]
      return { ...judge(each), begin, end, highest: Math.max(...values) }
    })
    return {
      minutes,
      rate,
      actions,
      requests: load.requests(),
      turned_away: load.turnedAway(),
      series,
      at_rest: {
        api: { before: before.api / mebibyte, after: after.api / mebibyte },
        worker: { before: before.worker / mebibyte, after: after.worker / mebibyte },
      },
      bytes_an_action: Object.fromEntries(grown.filter(([, bytes]) => bytes >= 1)),
      findings: [
        ...judged(series),
        ...tooLarge(before),
        ...lost,
        ...overloaded(load),
        ...load.problems,
        ...incidents(world),
      ],
    }
  } finally {
    await world.stop()
  }
}

function urlOf({ processes }: World): string {
  const api = processes.get('api')
  if (!api) throw new Error('there is no API')
  return api.url
}

async function residents({ resident }: Sampler): Promise<Record<'api' | 'worker', number>> {
  return { api: await resident('api'), worker: await resident('worker') }
}

async function watch(
  minutes: number,
  { series }: Sampler,
  load: Load,
  tell: (text: string) => void,
): Promise<void> {
  const until = performance.now() + minutes * 60_000
  for (;;) {
    const left = until - performance.now()
    await pause(Math.max(0, Math.min(left, 30_000)))
    const now = (name: string): string =>
      `${name} ${(
        series()
          .find(each => each.name === name)
          ?.points.at(-1)?.value ?? 0
      ).toFixed(0)}`
    tell(
      `${load.acknowledged.size} actions, ${['api resident', 'worker resident', 'postgres open_jobs'].map(now).join(', ')}`,
    )
    if (left <= 30_000) return
  }
}

/** Every acknowledged action must end as its story says. */
async function unsettled({ sql }: World, { acknowledged }: Load): Promise<string[]> {
  const tooLate = AbortSignal.timeout(settleMsMax)
  for (;;) {
    const rows = await sql<{ action_id: string; status: string }[]>`
      select action_id, status from action_gate.actions`
    const found = new Map(rows.map(({ action_id, status }) => [action_id, status]))
    const wrong = [...acknowledged].filter(([id, ends]) => !ends.some(end => end === found.get(id)))
    if (wrong.length === 0) return []
    if (tooLate.aborted) {
      const shown = wrong
        .slice(0, 5)
        .map(([id, ends]) => `${id} is ${found.get(id) ?? 'lost'}, not ${ends.join(' or ')}`)
      return [`${wrong.length} acknowledged actions did not end as they have to: ${shown.join('; ')}`]
    }
    await pause(500)
  }
}

function judged(series: readonly Judgement[]): string[] {
  if (series.some(({ verdict }) => verdict === 'too_short'))
    return ['the run was too short to say anything: give it 4 minutes or more']
  return series
    .filter(({ verdict }) => verdict === 'growing')
    .map(
      ({ name, unit, rise, level, percent_an_hour }) =>
        `${name} grows: by ${rise.toFixed(1)} over ${level.toFixed(1)} ${unit}, ${percent_an_hour.toFixed(0)} % an hour`,
    )
}

function tooLarge(before: Record<string, number>): string[] {
  return Object.entries(before)
    .filter(([, bytes]) => bytes > restBytesMax)
    .map(([name, bytes]) => `${name} has ${(bytes / 1e6).toFixed(0)} MB at rest, above 150 MB`)
}

/** A soak in which the machine could not keep up says nothing of a service at its work. */
function overloaded(load: Load): string[] {
  const share = load.turnedAway() / load.requests()
  if (share <= turnedAwayMax) return []
  return [
    `${(share * 100).toFixed(1)} % of the requests were turned away: give the machine less to do, or --rate less`,
  ]
}

/** What ended by itself. */
function incidents({ processes }: World): string[] {
  return [...processes].flatMap(([name, { process }]) => {
    const fatal = /"level":(60|"fatal")/.exec(process.output())
    return fatal ? [`${name} wrote a fatal line: ${process.output().slice(-500)}`] : []
  })
}
