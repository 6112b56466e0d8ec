import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { recomputeAudit } from '../support/audit/independent-audit.ts'
import {
  type ApiProcess,
  type Platform,
  startPlatform,
  type WorkerProcess,
} from '../support/platform/platform.ts'
import { eventually, forEachOf } from '../support/platform/platform-waiting.ts'
import { hasLostCall, type Recorded, strayCalls, violations, wasLostBy } from './recorded-run.ts'
import { gate, type Step, scriptedRun } from './scripted-run.ts'

const requestsAtOnce = 16
const settleMsMax = 45_000
const { before, gated, after } = scriptedRun()
const steps = [...before, ...gated, ...after]

let platform: Platform
let api: ApiProcess
let victim: WorkerProcess
let recorded: Recorded[] = []
const actionOf = new Map<string, string>()

beforeAll(async () => {
  platform = await startPlatform(inject('redisUrl'), {
    SERVICE_LEASE_MS: '2000',
    SERVICE_SWEEP_MS: '300',
    SERVICE_EXECUTION_MS_MAX: '5000',
    SERVICE_RETRY_MS_MIN: '50',
    SERVICE_RETRY_MS_MAX: '500',
    SERVICE_WORKER_CONCURRENCY: '30',
    // What stays unknown is left as it is, so that all witnesses tell of the same moment.
    SERVICE_RECONCILE_MS_MIN: '3600000',
  })
})
afterAll(() => platform.stop())
beforeEach(({ onTestFailed }) => onTestFailed(() => void process.stderr.write(platform.output())))

it('1,000 mixed proposals settle, though a worker is killed in the middle of them', async () => {
  api = await platform.startApi()
  const workers = await Promise.all([platform.startWorker(), platform.startWorker()])
  await forEachOf(before, requestsAtOnce, play)
  const rest = [forEachOf(gated, requestsAtOnce, play), forEachOf(after, requestsAtOnce, play)]
  victim = await eventually('a worker is in the middle of calls of both actuators', () => {
    const waiting = platform.ledger().filter(({ action_id }) => isGated(action_id))
    const holdsBoth = ({ process: { pid } }: WorkerProcess) =>
      new Set(waiting.filter(call => call.pid === pid).map(({ actuator }) => actuator)).size === 2
    return workers.find(holdsBoth) ?? null
  })
  victim.process.signal('SIGKILL')
  expect(await victim.process.exited).toEqual({ code: null, signal: 'SIGKILL' })
  await platform.release(gate)
  await Promise.all([platform.startWorker(), ...rest])
  await expect.poll(unsettledJobs, { timeout: settleMsMax, interval: 50 }).toEqual([])
  expect(actionOf.size).toBe(1000)
}, 120_000)

it('every audit root is the one that independent code computes', async () => {
  const rows = await platform.sql<(Omit<Recorded, 'events' | 'calls'> & { root: string })[]>`
    select action_id, proposal_id, status, j.state as job_state, encode(audit_root, 'hex') as root
    from action_gate.actions left join action_gate.execution_jobs j using (action_id) order by action_id`
  const calls = platform.ledger()
  recorded = await forEachOf(rows, requestsAtOnce, async ({ root, ...row }) => {
    const { body } = await api.client.exportAudit(row.action_id)
    const audit = recomputeAudit(body)
    expect(audit.root).toBe(`sha256:${root}`)
    return { ...row, events: audit.events, calls: calls.filter(call => call.action_id === row.action_id) }
  })
  expect(recorded).toHaveLength(1000)
}, 60_000)

it('no action was executed twice, and none without leave and a record written ahead', () => {
  expect(recorded.flatMap(violations)).toEqual([])
  expect(strayCalls(recorded, platform.ledger())).toEqual([])
})

it('every proposal came to what it must come to', () => {
  const byProposal = new Map(recorded.map(action => [action.proposal_id, action]))
  const wrong = steps.filter(({ asked, ends, lost }) => {
    const action = byProposal.get(asked.proposal_id)
    if (!action || action.action_id !== actionOf.get(asked.proposal_id)) return true
    return ![...ends, ...(hasLostCall(action) ? lost : [])].includes(action.status)
  })
  expect(wrong.map(({ asked }) => byProposal.get(asked.proposal_id) ?? asked)).toEqual([])
})

it('calls that the kill hit were repeated with a key, and are unknown without one', () => {
  const lost = recorded.filter(action => wasLostBy(action, victim.id))
  process.stderr.write(
    `the killed worker left ${lost.length} calls; in the end: ${JSON.stringify(countStatuses())}\n`,
  )
  const endsWith = (actuator: string) =>
    new Set(lost.filter(({ calls }) => calls[0]?.actuator === actuator).map(({ status }) => status))
  expect([...endsWith('ledger_keyed')]).toEqual(['executed'])
  expect([...endsWith('ledger_plain')]).toEqual(['outcome_unknown'])
})

it('a proposal that is submitted again is the action that it was', async () => {
  const again = steps.filter((_, place) => place % 10 === 0)
  const answers = await forEachOf(again, requestsAtOnce, ({ asked }) => api.client.submit(asked))
  expect(answers.map(({ body }) => body.action_id)).toEqual(
    again.map(({ asked }) => actionOf.get(asked.proposal_id)),
  )
  const [counted] = await platform.sql`select count(*)::int as actions from action_gate.actions`
  expect(counted).toEqual({ actions: 1000 })
})

/** Submit a proposal, every tenth one twice at once and every 25th with other content too, and decide a held one. */
async function play(step: Step): Promise<void> {
  const { client } = api
  const { asked, decided } = step
  const place = steps.indexOf(step)
  const answers = await Promise.all([
    client.submit(asked),
    ...(place % 10 === 0 ? [client.submit(asked)] : []),
  ])
  const [id, ...others] = new Set(answers.map(({ body }) => body.action_id))
  if (id === undefined || others.length > 0) throw new Error(`${asked.proposal_id} is several actions`)
  actionOf.set(asked.proposal_id, id)
  if (place % 25 === 0) {
    const { status } = await client.submit({ ...asked, parameters: { other: true } })
    expect(status).toBe(409)
  }
  if (decided === 'approve') expect((await client.approve(id)).status).toBeLessThan(300)
  if (decided === 'reject') expect((await client.reject(id)).status).toBe(200)
  if (decided === 'both') {
    const both = await Promise.all([client.approve(id), client.reject(id)])
    expect(both.filter(({ status }) => status < 300)).toHaveLength(1)
    expect(both.filter(({ status }) => status === 409)).toHaveLength(1)
  }
}

function countStatuses(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of recorded) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

function isGated(actionId: string): boolean {
  return gated.some(({ asked }) => actionOf.get(asked.proposal_id) === actionId)
}

function unsettledJobs(): Promise<object[]> {
  return platform.sql`
    select proposal_id, job.* from action_gate.execution_jobs job join action_gate.actions using (action_id)
    where state in ('pending', 'leased')`
}
