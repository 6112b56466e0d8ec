import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logsVariable } from '../support/audit/kept-logs.ts'
import { check, type Report } from './check/check.ts'
import type {
  Evidence,
  ExportLine,
  FaultLine,
  JournalLine,
  LedgerLine,
  OrderLine,
  SightingLine,
} from './check/evidence.ts'
import { collectExports } from './collect-exports.ts'
import type { Questions } from './downstream/accepted-operations.ts'
import { type Lines, openLines, readLines } from './downstream/lines.ts'
import { runNemesis } from './faults/nemesis.ts'
import { planFaults } from './faults/schedule.ts'
import { atLast } from './faults/strike-person.ts'
import { sightingsOf, untilSeen } from './faults/until-seen.ts'
import { quiesce } from './quiesce.ts'
import { readOwnData, settleByOwnData } from './real/own-data.ts'
import { readProgramCalls } from './real/program-calls.ts'
import { programName, type RealFiles, realFiles, serverNames } from './real/real-systems.ts'
import { createRequests } from './requests.ts'
import { resolveLeftOvers } from './resolve-left-overs.ts'
import { apiNames, hangingTenant, tenantIds, workerNames } from './settings.ts'
import type { Incident } from './supervised.ts'
import { startWorkload } from './workload.ts'
import { type LeftOut, openWorld, type World } from './world.ts'

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
  /** Faults that this machine cannot do. */
  leftOut: readonly LeftOut[]
  /** Where the evidence is. */
  directory: string
}

/** One chaos run: open the world, break it by plan under load, let it heal, and have the checker judge it. */
export async function run({ seed, minutes, rate, tell }: RunOptions): Promise<Run> {
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-chaos-'))
  const path = (name: string): string => join(directory, `${name}.jsonl`)
  process.env[logsVariable] ??= join(directory, 'logs')
  const world = await openWorld({ directory, ledger: path('ledger'), config: join(directory, 'config.json') })
  try {
    const leftOut = world.leftOut.map(({ kind }) => kind)
    const victims = {
      apis: apiNames,
      workers: workerNames,
      tenants: tenantIds,
      servers: [...serverNames, programName] as const,
      leftOut,
    }
    const plan = planFaults(seed, minutes * 60_000, victims)
    tell(`seed ${seed}, ${minutes} min, ${plan.length} faults planned; evidence in ${directory}`)
    for (const { kind, why } of world.leftOut) tell(`left out: ${kind}, since ${why}`)
    const orders = openLines<OrderLine>(path('orders'))
    const sightings = openLines<SightingLine>(path('sightings'))
    const journal = openLines<JournalLine>(path('journal'))
    const faults = openLines<FaultLine>(path('faults'))
    const requests = createRequests(world, journal.add)
    const workload = startWorkload(requests, { seed, rate })
    tell('everything is up')
    const kept: OrderLine[] = []
    const order = (line: OrderLine): void => void kept.push(line)
    const target = { world, requests, order }
    const struck: FaultLine[] = []
    const record = (line: FaultLine): void => {
      faults.add(line)
      struck.push(line)
      tell(`fault ${line.n}/${plan.length}: ${line.kind} of ${line.victim}, ${line.in_flight} in flight`)
    }
    await runNemesis(plan, target, record)
    const more = await untilSeen(target, struck, record)
    if (more > 0) tell(`${more} faults more, since something had not been seen`)
    await workload.stop()
    tell('all faults are over; waiting until everything is settled')
    const { open } = await quiesce(world)
    tell(open === 0 ? 'everything is settled' : `${open} actions did not settle in time`)
    tell(`an operator resolved ${await resolveLeftOvers(world)} outcomes that stayed unknown`)
    // Whoever still works would add calls to the ledger that no export could have.
    await Promise.all(workerNames.map(name => world.processes.get(name)?.stop()))
    for (const line of [...sightingsOf(world), ...(await questionsAt(world))]) sightings.add(line)
    for (const line of kept) orders.add(await atLast(world, line))
    await Promise.all([journal, faults, orders, sightings].map(lines => lines.close()))
    await collect(world, readLines(path('journal')), openLines(path('exports')))
  } finally {
    await world.stop()
  }
  const { incidents, leftOut } = world
  return { report: check(readEvidence(path, realFiles(directory))), incidents, leftOut, directory }
}

/** What the downstream was asked about operations that it had accepted. */
async function questionsAt({ downstreamUrl }: World): Promise<SightingLine[]> {
  const { hanging_poll, poll_beside_hanging } = (await (
    await fetch(`${downstreamUrl}/questions`)
  ).json()) as Questions
  return [
    { what: 'hanging_poll', count: hanging_poll, tenant_id: hangingTenant },
    { what: 'poll_beside_hanging', count: poll_beside_hanging },
  ]
}

async function collect(world: World, journal: JournalLine[], exports: Lines<ExportLine>): Promise<void> {
  await collectExports(world, journal, exports.add)
  await exports.close()
}

function readEvidence(path: (name: string) => string, files: RealFiles): Evidence {
  const relayed = readLines<LedgerLine>(path('ledger'))
  const seen = [...relayed, ...readProgramCalls(files.programCalls, relayed.length)]
  return {
    ledger: settleByOwnData(seen, readOwnData(files)),
    journal: readLines(path('journal')),
    faults: readLines(path('faults')),
    orders: readLines(path('orders')),
    sightings: readLines(path('sightings')),
    exports: readLines(path('exports')),
  }
}
