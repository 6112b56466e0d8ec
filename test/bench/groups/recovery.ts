import { setTimeout } from 'node:timers/promises'
import { type PlatformProcess, startProcess } from '../../support/platform/platform-process.ts'
import type { BenchOptions } from '../bench.ts'
import { note, quantile } from '../figure.ts'
import { allSettled, serviceLedger } from '../setup/executed.ts'
import {
  type Platform,
  platformEnvironment,
  proposalParts,
  type RunningApi,
  startPlatform,
} from '../setup/platform.ts'

const jobs = 30
const callMs = 20_000
const waitMsMax = 60_000

/** Preset of the service: the lease of a worker, and the half of a sweep in which leases that ran out are looked for. */
const boundMs = 5_000 + 1_000

/**
 * With the settings as they come: from kill -9 of the worker that holds the jobs until another has taken each. A round
 * begins with no other worker, which would take some of the jobs at first.
 */
export async function benchRecovery({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  const workers: PlatformProcess[] = []
  const startWorker = async (): Promise<PlatformProcess> => {
    const worker = startProcess({
      name: 'worker',
      file: 'worker/bin/worker.js',
      flags: [],
      environment: { ...platformEnvironment(platform), SERVICE_WORKER_PORT: '0' },
    })
    workers.push(worker)
    await worker.logged('worker started')
    return worker
  }
  try {
    const api = await platform.startApi()
    await slowDown(api)
    const ledger = serviceLedger(platform.sql)
    const took: number[] = []
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      const victim = await startWorker()
      await submit(api, round)
      await until(platform, `${jobs} calls are under way`, 1, jobs * (round + 1))
      const survivor = await startWorker()
      note('recovery: kill -9')
      const killedAt = await databaseTime(platform)
      victim.signal('SIGKILL')
      await until(platform, 'each is taken again', 2, jobs * (round + 1))
      took.push(...(await takenAgain(platform, killedAt)))
      await allSettled(ledger)
      survivor.signal('SIGTERM')
      await survivor.exited
    }
    const p99 = quantile(took, 0.99)
    const detail = {
      p50: quantile(took, 0.5),
      jobs: took.length,
      floor_is: 'one lease and half a sweep, by the presets',
    }
    emit({
      bench,
      figure: 'kill_to_retaken_p99',
      value: p99,
      unit: 'ms',
      floor: boundMs,
      ratio: p99 / boundMs,
      detail,
    })
  } finally {
    for (const worker of workers) worker.signal('SIGKILL')
    await Promise.all(workers.map(({ exited }) => exited))
    await platform.stop()
  }
}

const bench = 'recovery'

/** The mock of the tenant takes longer than everything that is measured. */
async function slowDown({ url, adminKey }: RunningApi): Promise<void> {
  const actuators = [{ name: 'payments', kind: 'mock', settings: { delay_ms: callMs } }]
  const answer = await fetch(`${url}/v1/tenants/bench/actuators`, {
    method: 'PUT',
    headers: { 'x-service-admin-key': adminKey, 'content-type': 'application/json' },
    body: JSON.stringify({ actuators }),
  })
  if (!answer.ok) throw new Error(`the actuator was not registered: ${answer.status} ${await answer.text()}`)
}

async function submit({ url, headers }: RunningApi, round: number): Promise<void> {
  const [before, after] = proposalParts()
  for (let at = 0; at < jobs; at += 1) {
    const answer = await fetch(`${url}/v1/actions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: `${before}recovery-${round}-${at}${after}`,
    })
    if (answer.status !== 202) throw new Error(`not accepted: ${answer.status} ${await answer.text()}`)
  }
}

async function until({ sql }: Platform, what: string, attempt: number, count: number): Promise<void> {
  const tooLate = AbortSignal.timeout(waitMsMax)
  for (;;) {
    const [row] = await sql<{ jobs: number }[]>`
      select count(*)::int as jobs from action_gate.execution_jobs where attempt >= ${attempt}`
    if (row && row.jobs >= count) return
    if (tooLate.aborted) throw new Error(`waited in vain until ${what}`)
    await setTimeout(20)
  }
}

async function databaseTime({ sql }: Platform): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
  if (!row) throw new Error('the database does not tell the time')
  return row.now
}

/** Milliseconds from then to each second attempt since. */
async function takenAgain({ sql }: Platform, since: Date): Promise<number[]> {
  const rows = await sql<{ took: number }[]>`
    select extract(epoch from (convert_from(event, 'UTF8')::jsonb ->> 'at')::timestamptz - ${since}::timestamptz)::float8 * 1000 as took
    from action_gate.action_events e
    where kind = 'execution_attempt' and (convert_from(event, 'UTF8')::jsonb ->> 'at')::timestamptz > ${since}
      and exists (
        select from action_gate.action_events f
        where f.action_id = e.action_id and f.kind = 'execution_attempt' and f.sequence < e.sequence
      )`
  return rows.map(({ took }) => took)
}
