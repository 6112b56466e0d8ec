import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readAlertRules, readDashboard, shortenedRules, shortenedWindows } from '../support/alert-rules.ts'
import { testKeyPem } from '../support/audit/signing-key.ts'
import { type Downstream, startDownstream } from '../support/fixtures/http-downstream.ts'
import { makeTemplate, TEMPLATE } from '../support/global-setup.ts'
import {
  type ApiProcess,
  type Platform,
  policy,
  startPlatform,
  tenant,
} from '../support/platform/platform.ts'
import { forEachOf } from '../support/platform/platform-waiting.ts'
import { type PostgresServer, startPostgresServer } from '../support/servers/postgres-program.ts'
import { findPrometheus, type Prometheus, startPrometheus } from '../support/servers/prometheus.ts'
import { startRedisServer } from '../support/servers/redis.ts'
import type { PrivateRedis } from '../support/servers/redis-program.ts'
import { type Scrape, scrape } from '../support/service/scrape.ts'

/**
 * The incidents of the run-book, each made for real: processes, a Redis, a downstream, and a Prometheus that scrapes
 * them. What an alert asks is evaluated as it stands in the rules; how long it has to last (`for`) is not waited for.
 */
const programs = await findPrometheus()
const rules = readAlertRules()
const seenMsMax = 30_000
const firedMsMax = 60_000
/** It speaks of the machine that runs the tests, which may be busy with others. */
const ofTheMachine = 'ActionGateLoopLags'

let redis: PrivateRedis
let platform: Platform
let api: ApiProcess

async function start(
  environment: Record<string, string> = {},
  server?: Parameters<typeof startPlatform>[2],
): Promise<void> {
  redis = await startRedisServer()
  const variables = { SERVICE_SIGNING_KEY: testKeyPem(), SERVICE_SWEEP_MS: '500', ...environment }
  platform = await startPlatform(redis.url, variables, server)
  api = await platform.startApi()
}
beforeEach(({ onTestFailed }) => onTestFailed(() => void process.stderr.write(platform.output())))
afterEach(async () => {
  await platform.stop()
  await redis.stop()
})

function submit(count: number, system: string, parameters: Record<string, unknown> = {}): Promise<unknown> {
  const ids = Array.from({ length: count }, (_, n) => `${system}-${n}-${performance.now()}`)
  return forEachOf(ids, 8, proposal_id => api.client.submit({ proposal_id, system, parameters }))
}

/** What Prometheus itself and the exporter beside Postgres tell. */
const ofOthers = ['ActionGateProcessDown', 'ActionGateDiskFills']

/** Names of metrics in PromQL; those of the service have one prefix. */
function metricsIn(expression: string): string[] {
  return expression.match(/\baction_gate_\w+/g) ?? []
}

/** Series that are asked for by the values of their labels. */
function selectorsIn(expression: string): { name: string; labels: [string, string][] }[] {
  return [...expression.matchAll(/\b(action_gate_\w+)\{([^}]*)\}/g)].map(([, name = '', inside = '']) => ({
    name,
    labels: [...inside.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value]),
  }))
}

describe('every expression', () => {
  const expressions = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...readDashboard().panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => [title, expr] as const),
    ),
  ]

  it('of the dashboard and the rules asks for what API and worker tell', async () => {
    await start()
    const worker = await platform.startWorker()
    await submit(1, 'ledger_plain', { behave: 'fail' })
    const isNamed = async () => (await scrape(worker.url)).value('action_gate_system_calls')
    await expect.poll(isNamed, { timeout: seenMsMax }).toBe(0)
    const swept = async () => (await scrape(worker.url)).value('action_gate_due_jobs')
    await expect.poll(swept).toBe(0)
    const scrapes = [await scrape(api.url), await scrape(worker.url)]
    const isTold = (name: string) => scrapes.some(({ names }) => names.has(name))
    const unknown = expressions.filter(([, expr]) => !metricsIn(expr).every(isTold))
    expect(unknown).toEqual([])
    const foreign = expressions.filter(([, expr]) => metricsIn(expr).length === 0)
    expect(foreign.map(([name]) => name)).toEqual(ofOthers)
    const empty = expressions.filter(([, expr]) => !selectorsIn(expr).every(one => isSeries(scrapes, one)))
    expect(empty).toEqual([])
  }, 60_000)
})

function isSeries(scrapes: readonly Scrape[], selector: ReturnType<typeof selectorsIn>[number]): boolean {
  const { name, labels } = selector
  return scrapes.some(({ value }) => value(name, Object.fromEntries(labels)) !== undefined)
}

describe.skipIf(programs === null)('an incident', () => {
  let prometheus: Prometheus
  let downstream: Downstream

  beforeEach(async () => {
    if (programs) prometheus = await startPrometheus(programs)
    downstream = await startDownstream(() => undefined)
  })
  afterEach(async () => {
    await prometheus.stop()
    await downstream.close()
  })

  /** Alerts that are true now. */
  async function raised(): Promise<string[]> {
    const found = await Promise.all(rules.map(({ expr }) => prometheus.query(shortenedWindows(expr))))
    return rules.flatMap(({ alert }, at) => (found[at]?.length && alert !== ofTheMachine ? [alert] : []))
  }
  async function asked(expression: string): Promise<number | undefined> {
    return (await prometheus.query(expression))[0]?.value
  }
  async function watch(workers: readonly string[]): Promise<void> {
    await prometheus.scrape({ 'action-gate-api': [api.url], 'action-gate-worker': workers })
    await expect.poll(raised, { timeout: seenMsMax }).toEqual([])
  }

  it('Redis down: the doorbell alone, and actions execute all the same', async () => {
    await start()
    const worker = await platform.startWorker()
    await submit(5, 'ledger_plain')
    await watch([worker.url])
    await redis.kill()
    await submit(20, 'ledger_plain')
    await expect.poll(raised, { timeout: seenMsMax }).toEqual(['ActionGateDoorbellDown'])
    expect(
      await asked('sum(action_gate_queue_errors_total) + sum(action_gate_wake_ups_lost_total)'),
    ).toBeGreaterThan(0)
    await expect.poll(() => platform.ledger().length, { timeout: seenMsMax }).toBe(25)
    expect(await asked('max(action_gate_due_age_seconds)')).toBeLessThan(10)
    await redis.restart()
    await expect.poll(raised, { timeout: seenMsMax }).toEqual([])
  }, 120_000)

  it('an actuator hangs: slots are full, and the age and the kind of the calls say why', async () => {
    await start({
      SERVICE_EGRESS_ALLOW: new URL(downstream.url).host,
      SERVICE_WORKER_CONCURRENCY: '10',
      SERVICE_RECONCILE_MS_MIN: '600000',
    })
    const worker = await platform.startWorker()
    await registerShop(downstream.url)
    await submit(5, 'ledger_plain')
    await watch([worker.url])
    await submit(48, 'shop')
    await expect
      .poll(raised, { timeout: seenMsMax })
      .toEqual([
        'ActionGateWorkersFull',
        'ActionGateCallsHang',
        'ActionGateAttemptsFail',
        'ActionGateSystemFails',
      ])
    const p50 = 'histogram_quantile(0.5, sum by (le, kind) (rate(action_gate_execution_seconds_bucket[5m])))'
    const slowKinds = async () =>
      (await prometheus.query(p50)).filter(({ value }) => value > 5).map(({ labels }) => labels.kind)
    await expect.poll(slowKinds, { timeout: seenMsMax }).toEqual(['http'])
    expect(await asked('sum(action_gate_attempts_total{outcome="unknown"})')).toBeGreaterThan(0)
    expect(await asked('max(action_gate_jobs{state="unknown"})')).toBeGreaterThan(0)
    expect(await asked('min(action_gate_queue_up)')).toBe(1)
  }, 120_000)

  it('too few workers: short calls that succeed fill the slots until one more worker', async () => {
    await start({ SERVICE_WORKER_CONCURRENCY: '10' })
    const worker = await platform.startWorker()
    await submit(5, 'ledger_plain')
    await watch([worker.url])
    await submit(600, 'ledger_plain', { delay_ms: 500 })
    // As if they had been submitted a minute earlier.
    await platform.sql`
      update action_gate.execution_jobs set next_run_at = next_run_at - interval '1 minute' where state = 'pending'`
    await expect
      .poll(raised, { timeout: seenMsMax })
      .toEqual(['ActionGateActionsLate', 'ActionGateWorkersFull'])
    expect(await asked('max(action_gate_worker_call_age_seconds)')).toBeLessThan(2)
    expect(await asked('sum(action_gate_attempts_total{outcome!="ok"})')).toBe(0)
    expect(await asked('max(action_gate_due_jobs)')).toBeGreaterThan(10)
    const further = await platform.startWorker({ SERVICE_WORKER_CONCURRENCY: '100' })
    await prometheus.scrape({
      'action-gate-api': [api.url],
      'action-gate-worker': [worker.url, further.url],
    })
    await expect.poll(raised, { timeout: seenMsMax }).toEqual([])
    await expect.poll(() => platform.ledger().length, { timeout: seenMsMax }).toBe(605)
    expect(await asked('max(action_gate_workers_seen)')).toBe(2)
  }, 120_000)
})

/**
 * The rules as they stand, each with its `for`, where a minute is two seconds: a Prometheus evaluates them and their causes are
 * real. The server is one that replicas could read.
 */
describe.skipIf(programs === null)('the rules, running', () => {
  let server: PostgresServer
  let prometheus: Prometheus

  beforeAll(async () => {
    server = await startPostgresServer({ socketOnly: true })
    await makeTemplate(server.directory)
    if (programs) prometheus = await startPrometheus(programs, shortenedRules())
  }, 120_000)
  afterAll(async () => {
    await prometheus.stop()
    await server.stop()
  })

  /** What has fired since the beginning, with what tells one of an alert from another. */
  async function fired(): Promise<string[]> {
    const found = await prometheus.query('max_over_time(ALERTS{alertstate="firing"}[10m])')
    return found.map(({ labels: { alertname, job, tenant: whose, system } }) =>
      [alertname?.replace('ActionGate', ''), job, whose, system].filter(Boolean).join(' '),
    )
  }
  const due = 'action_gate_due_age_seconds'
  const awaitFired = (...alerts: string[]) =>
    expect.poll(fired, { timeout: firedMsMax }).toEqual(expect.arrayContaining(alerts))

  /** From a measure that is seen to the next: the sweep waits for this table at the end of its pass. */
  async function loseMeasure(isLost: string): Promise<void> {
    await expect.poll(() => prometheus.query(due), { timeout: firedMsMax }).toHaveLength(1)
    await platform.sql.begin(async sql => {
      await sql`lock table action_gate.webhooks in access exclusive mode`
      await expect.poll(() => prometheus.query(isLost), { timeout: firedMsMax }).not.toHaveLength(0)
    })
  }

  it('fire each by its cause, also while a sweep measures now and then only', async () => {
    const { directory: host } = server
    await start(unsettled, { host, user: 'postgres', template: TEMPLATE })
    const [further, worker, stopped] = await Promise.all([
      platform.startApi(),
      platform.startWorker(),
      platform.startWorker(),
    ])
    await submit(100, 'ledger_plain')
    await prometheus.scrape({
      'action-gate-api': [api.url, further.url],
      'action-gate-worker': [worker.url, stopped.url],
    })
    await expect.poll(async () => (await prometheus.query('up == 1')).length, { timeout: firedMsMax }).toBe(4)

    // Before calls fail: those of a process that is stopped are scraped no more.
    stopped.process.signal('SIGSTOP')
    await submit(4, 'ledger_keyed', { behave: 'fail' })
    await submit(2, 'ledger_looked', { behave: 'throw' })
    await platform.sql`select pg_create_physical_replication_slot('standby', true)`
    for (let segments = 0; segments < 6; segments += 1)
      await platform.sql`select pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()`
    further.process.signal('SIGKILL')
    for (let gaps = 0; gaps < 6; gaps += 1) await loseMeasure(`absent(${due})`)
    await awaitFired(
      'ProcessDown action-gate-api',
      'ProcessDown action-gate-worker',
      `SystemFails ${tenant} ledger_keyed`,
      'OutcomesUnknown',
      'LogUnsigned',
      'ReplicaAway',
      'WalKept',
    )
    expect(await fired()).not.toContain('AttemptsFail')
    await loseMeasure('ALERTS{alertname="ActionGateNotMeasured",alertstate="firing"}')
    for (const { process } of [api, worker]) process.signal('SIGKILL')
    await awaitFired('ApiDown', 'NoWorker')
  }, 300_000)
})

/** An outcome that is unknown stays so, and nobody has a key that signs. */
const unsettled = {
  SERVICE_SIGNING_KEY: '',
  SERVICE_RECONCILE_MS_MIN: '600000',
}

/** An HTTP actuator, as an operator registers one. */
async function registerShop(base_url: string): Promise<void> {
  const { allowed_systems, allowed_operations } = policy
  await api.client.replacePolicy({
    ...policy,
    allowed_systems: [...allowed_systems, 'shop'],
    allowed_operations: { ...allowed_operations, shop: ['write'] },
  })
  const settings = {
    base_url,
    operations: { write: { method: 'POST', path: '/orders' } },
  }
  const module = (name: string) => ({ name, kind: 'module' })
  const answer = await fetch(`${api.url}/v1/tenants/${tenant}/actuators`, {
    method: 'PUT',
    headers: { 'x-service-admin-key': platform.keys.admin, 'content-type': 'application/json' },
    body: JSON.stringify({
      actuators: [
        { name: 'mock_crm', kind: 'mock', settings: {} },
        ...['ledger_keyed', 'ledger_plain'].map(module),
        { name: 'shop', kind: 'http', settings },
      ],
    }),
  })
  expect(answer.status, await answer.text()).toBe(200)
}
