import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import {
  type ApiProcess,
  type Platform,
  startPlatform,
  type WorkerProcess,
} from '../support/platform/platform.ts'
import type { Trace } from '../support/platform/platform-client.ts'
import { eventually } from '../support/platform/platform-waiting.ts'
import { startProxy } from '../support/servers/proxy.ts'
import { startRedisServer } from '../support/servers/redis.ts'

const leaseMs = 1_000
const statementMsMax = 2_000
const environment = {
  SERVICE_LEASE_MS: String(leaseMs),
  SERVICE_SWEEP_MS: '200',
  SERVICE_RETRY_MS_MIN: '50',
  SERVICE_STATEMENT_MS_MAX: String(statementMsMax),
}
const fenced = 'outcome refused: the fencing token is not current'

let platform: Platform
let api: ApiProcess

async function start(redisUrl: string, more: Record<string, string> = {}): Promise<WorkerProcess> {
  platform = await startPlatform(redisUrl, { ...environment, ...more })
  const [started, worker] = await Promise.all([platform.startApi(), platform.startWorker()])
  api = started
  return worker
}
beforeEach(({ onTestFailed }) => onTestFailed(() => void process.stderr.write(platform.output())))
afterEach(() => platform.stop())

it('SIGTERM lets the job under way end, takes no other, and the process exits with 0', async () => {
  const redis = await startRedisServer()
  const queue = new Redis(redis.url)
  try {
    const worker = await start(redis.url)
    const begun = await submit('begun', 'ledger_plain', { until: 'told' })
    await eventually('it is called', () => platform.ledger()[0] ?? null)
    worker.process.signal('SIGTERM')
    const waitsForRings = async () => String(await queue.client('LIST')).includes('cmd=bzpopmin')
    await expect.poll(waitsForRings, { timeout: 10_000 }).toBe(false)
    const late = await submit('late', 'ledger_plain')
    await platform.release('told')
    expect(await worker.process.exited).toEqual({ code: 0, signal: null })
    expect(await trace(begun)).toMatchObject({ status: 'executed', job: { attempt: 1 } })
    expect(await trace(late)).toMatchObject({ status: 'execution_pending', job: { attempt: 0 } })
    await platform.startWorker()
    await settles(late, 'executed')
    expect(platform.ledger().map(({ action_id }) => action_id)).toEqual([begun, late])
  } finally {
    queue.disconnect()
    await platform.stop()
    await redis.stop()
  }
}, 60_000)

it('with the presets a killed worker’s job is taken again within six seconds', async () => {
  const presets = { SERVICE_LEASE_MS: '5000', SERVICE_SWEEP_MS: '2000', SERVICE_RETRY_MS_MIN: '500' }
  const victim = await start(inject('redisUrl'), presets)
  const id = await submit('begun', 'ledger_keyed', { until: 'told' })
  await eventually('it is called', () => platform.ledger()[0] ?? null)
  await platform.startWorker()
  victim.process.signal('SIGKILL')
  await victim.process.exited
  const begun = performance.now()
  await eventually('it is called again', async () => attempts(await trace(id))[1] ?? null)
  expect(performance.now() - begun).toBeLessThan(6_000 + 500)
  await platform.release('told')
  await settles(id, 'executed')
}, 60_000)

it('SIGTERM ends a worker that can record nothing, and another judges what it did', async () => {
  platform = await startPlatform(inject('redisUrl'), { ...environment, SERVICE_SHUTDOWN_MS_MAX: '1000' })
  api = await platform.startApi()
  const [place] = await platform.sql<{ socket: string; path: string }[]>`
    select split_part(current_setting('unix_socket_directories'), ',', 1) || '/.s.PGSQL.' || current_setting('port') as socket,
      current_user || '@127.0.0.1/' || current_database() as path`
  if (!place) throw new Error('the database does not say where it is')
  const proxy = await startProxy(place.socket)
  const url = `postgres://${place.path.replace('127.0.0.1', `127.0.0.1:${proxy.port}`)}`
  const worker = await platform.startWorker({ DATABASE_URL: url })
  const id = await submit('begun', 'ledger_plain', { until: 'told' })
  await eventually('it is called', () => platform.ledger()[0] ?? null)
  await proxy.cut()
  await platform.release('told')
  await eventually('it could not record it', () => notRecorded(worker, 'record_outcome')[0] ?? null)
  const begun = performance.now()
  worker.process.signal('SIGTERM')
  expect((await worker.process.exited).signal).toBe(null)
  expect(performance.now() - begun).toBeLessThan(1_000 + 2_000 + 5_000)
  expect(notRecorded(worker, 'record_outcome').at(-1)).toMatchObject({ action_id: id })
  await platform.startWorker()
  await settles(id, 'outcome_unknown')
  await proxy.close()
}, 60_000)

it('a worker that slept through its lease records evidence, and another takes over', async () => {
  // A worker that has just started may take half of a second for its first claim, which it would then leave.
  const sleeper = await start(inject('redisUrl'), { SERVICE_LEASE_MS: '3000' })
  const keyed = await submit('keyed', 'ledger_keyed', { until: 'settled' })
  const plain = await submit('plain', 'ledger_plain', { until: 'awake' })
  await expect.poll(() => platform.ledger().length, { timeout: 10_000 }).toBe(2)
  sleeper.process.signal('SIGSTOP')
  const other = await platform.startWorker()
  await expect.poll(() => platform.ledger().length, { timeout: 20_000 }).toBe(3)
  await settles(plain, 'outcome_unknown')
  const repeated = await trace(keyed)
  expect(attempts(repeated).map(({ principal }) => principal.id)).toEqual([sleeper.id, other.id])

  await platform.release('awake')
  sleeper.process.signal('SIGCONT')
  await sleeper.process.logged(fenced, 2)
  expect(await (await fetch(`${sleeper.url}/metrics`)).text()).toMatch(
    /^action_gate_fenced_writes_rejected_total 2$/m,
  )
  expect(await trace(keyed)).toEqual(repeated)
  const proved = await settles(plain, 'executed')
  expect(proved.events.at(-1)).toMatchObject({
    kind: 'reconciliation',
    principal: { id: sleeper.id },
    body: { source: 'late_result', attempt: 1 },
  })
  await platform.release('settled')
  const { events } = await settles(keyed, 'executed')
  expect(events.at(-1)).toMatchObject({ principal: { id: other.id }, body: { attempt: 2 } })
  const callsOf = (id: string) =>
    platform.ledger().flatMap(call => (call.action_id === id ? [{ pid: call.pid, key: call.key }] : []))
  const [first, second, ...others] = callsOf(keyed)
  expect([first?.pid, second?.pid, others]).toEqual([sleeper.process.pid, other.process.pid, []])
  expect(second?.key).toBe(first?.key)
  expect(callsOf(plain)).toHaveLength(1)

  other.process.signal('SIGKILL')
  await other.process.exited
  await settles(await submit('afterwards', 'ledger_plain'), 'executed')
}, 60_000)

it('a worker that falls asleep in its sweep does not keep others from sweeping', async () => {
  const sleeper = await start(inject('redisUrl'), { SERVICE_APPROVAL_TTL_MS: '1000' })
  const { body } = await api.client.submit({ proposal_id: 'held', system: 'ledger_plain', risk: 'high' })
  const held = body.action_id
  await platform.sql.begin(async holder => {
    await holder`select from action_gate.actions where action_id = ${held} for update`
    await eventually('its sweep waits for the row', sweepWaits, 10_000)
    sleeper.process.signal('SIGSTOP')
  })
  await platform.startWorker()
  const { events } = await settles(held, 'denied')
  expect(events.map(({ kind }) => kind)).toEqual(['proposal_received', 'verdict', 'expiry'])
  sleeper.process.signal('SIGCONT')
  await settles(await submit('afterwards', 'ledger_plain'), 'executed')
}, 60_000)

const notRecorded = (worker: WorkerProcess, where: string) =>
  worker.process.lines('unexpected error').filter(line => line.where === where)

async function submit(proposal_id: string, system: string, parameters = {}): Promise<string> {
  const { status, body } = await api.client.submit({ proposal_id, system, parameters })
  expect(status).toBe(202)
  return body.action_id
}

async function trace(id: string): Promise<Trace> {
  return (await api.client.trace(id)).body
}

async function settles(id: string, status: string): Promise<Trace> {
  return eventually(`${id} is ${status}`, async () => {
    const now = await trace(id)
    return now.status === status ? now : null
  })
}

function attempts(trace: Trace): Trace['events'] {
  return trace.events.filter(({ kind }) => kind === 'execution_attempt')
}

/** Whether a worker holds the lock of the sweeper and one of its statements waits for a row. */
async function sweepWaits(): Promise<true | null> {
  const [found] = await platform.sql<{ waits: boolean }[]>`
    select exists (select from pg_locks where locktype = 'advisory' and granted and database = d.oid)
      and exists (select from pg_stat_activity where datid = d.oid and wait_event_type = 'Lock') as waits
    from pg_database d where datname = current_database()`
  return found?.waits ? true : null
}
