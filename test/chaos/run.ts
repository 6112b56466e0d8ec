import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check, type Report } from './check/check.ts'
import type {
  Evidence,
  ExportLine,
  FaultLine,
  JournalLine,
  OrderLine,
  SightingLine,
} from './check/evidence.ts'
import { collectExports } from './collect-exports.ts'
import { type Lines, openLines, readLines } from './lines.ts'
import { runNemesis } from './nemesis.ts'
import { quiesce } from './quiesce.ts'
import { createRequests } from './requests.ts'
import { resolveLeftOvers } from './resolve-left-overs.ts'
import { type FaultKind, planFaults } from './schedule.ts'
import { apiNames, tenantIds, workerNames } from './settings.ts'
import type { Incident } from './supervised.ts'
import { startWorkload } from './workload.ts'
import { openWorld, type World } from './world.ts'

export interface RunOptions {
  seed: number
  minutes: number
  /** Proposals a second, without their copies. */
  rate: number
  /** Of how the run goes, for people. */
  tell(text: string): void
}

export interface Run {
  report: Report
  incidents: Incident[]
  /** Where the evidence is. */
  directory: string
}

/** One chaos run: open the world, break it by plan under load, let it heal, and have the checker judge it. */
export async function run({ seed, minutes, rate, tell }: RunOptions): Promise<Run> {
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-chaos-'))
  const path = (name: string): string => join(directory, `${name}.jsonl`)
  const world = await openWorld({ directory, ledger: path('ledger'), config: join(directory, 'config.json') })
  try {
    const leftOut = leftOutOf(world)
    const victims = { apis: apiNames, workers: workerNames, tenants: tenantIds, leftOut }
    const plan = planFaults(seed, minutes * 60_000, victims)
    tell(`seed ${seed}, ${minutes} min, ${plan.length} faults planned; evidence in ${directory}`)
    for (const kind of leftOut) tell(`left out, since this machine cannot do it: ${kind}`)
    const orders = openLines<OrderLine>(path('orders'))
    const sightings = openLines<SightingLine>(path('sightings'))
    const journal = openLines<JournalLine>(path('journal'))
    const faults = openLines<FaultLine>(path('faults'))
    const requests = createRequests(world, journal.add)
    const workload = startWorkload(requests, { seed, rate })
    tell('everything is up')
    await runNemesis(plan, { world, requests, order: orders.add }, line => {
      faults.add(line)
      tell(`fault ${line.n}/${plan.length}: ${line.kind} of ${line.victim}, ${line.in_flight} in flight`)
    })
    await workload.stop()
    tell('all faults are over; waiting until everything is settled')
    const { open } = await quiesce(world)
    tell(open === 0 ? 'everything is settled' : `${open} actions did not settle in time`)
    tell(`an operator resolved ${await resolveLeftOvers(world)} outcomes that stayed unknown`)
    for (const line of sightingsOf(world)) sightings.add(line)
    await Promise.all([journal, faults, orders, sightings].map(lines => lines.close()))
    await collect(world, readLines(path('journal')), openLines(path('exports')))
  } finally {
    await world.stop()
  }
  return { report: check(readEvidence(path)), incidents: world.incidents, directory }
}

/** What takes root on Linux, or a package of Debian. */
function leftOutOf({ postgres, clocks }: World): FaultKind[] {
  return [
    ...(postgres.disk === null ? (['postgres_disk_full'] as const) : []),
    ...(clocks.size === 0 ? (['clock_step'] as const) : []),
  ]
}

function sightingsOf({ processes, links }: World): SightingLine[] {
  const said = (message: string): number =>
    [...processes.values()].reduce((sum, each) => sum + each.said(message), 0)
  return [
    { what: 'fenced_write', count: said('outcome refused: the fencing token is not current') },
    { what: 'late_result', count: said('a result came after its lease: it is kept as evidence') },
    { what: 'lost_commit', count: [...links.values()].reduce((sum, link) => sum + link.lostCommits(), 0) },
  ]
}

async function collect(world: World, journal: JournalLine[], exports: Lines<ExportLine>): Promise<void> {
  await collectExports(world, journal, exports.add)
  await exports.close()
}

function readEvidence(path: (name: string) => string): Evidence {
  return {
    ledger: readLines(path('ledger')),
    journal: readLines(path('journal')),
    faults: readLines(path('faults')),
    orders: readLines(path('orders')),
    sightings: readLines(path('sightings')),
    exports: readLines(path('exports')),
  }
}
