import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type FailpointName, failpoints } from '../../shared/runtime/failpoint.ts'
import {
  type ApiProcess,
  type Platform,
  startPlatform,
  type WorkerProcess,
} from '../support/platform/platform.ts'
import type { Trace } from '../support/platform/platform-client.ts'
import { eventually } from '../support/platform/platform-waiting.ts'

/**
 * Every step of a proposal's way, failed in every manner, for both kinds of actuator, where the gate allows and where a
 * person approves: nothing is lost, nothing is done twice, and what was done is never called a failure.
 */
const leaseMs = 600
const environment = {
  SERVICE_LEASE_MS: String(leaseMs),
  SERVICE_SWEEP_MS: '100',
  SERVICE_EXECUTION_MS_MAX: '2000',
  SERVICE_RETRY_MS_MIN: '20',
  SERVICE_RECONCILE_MS_MIN: '20',
  SERVICE_RECONCILE_MS_MAX: '1000',
  SERVICE_APPROVE_WAIT_MS: '0',
}
const failures = ['kill', 'throw', `stall=${leaseMs * 3}`] as const
const systems = ['ledger_keyed', 'ledger_plain'] as const
const ways = ['allowed', 'approved'] as const

/** In which process a step is met, and whether only an approved action meets it there. */
const steps: Readonly<
  Record<FailpointName, { where: 'api' | 'worker'; ways: readonly (typeof ways)[number][] }[]>
> = {
  submit_decided: [{ where: 'api', ways }],
  submit_written: [{ where: 'api', ways }],
  submit_committed: [{ where: 'api', ways }],
  submit_rung: [{ where: 'api', ways }],
  change_asked: [
    { where: 'api', ways: ['approved'] },
    { where: 'worker', ways: ['allowed'] },
  ],
  change_written: [
    { where: 'api', ways: ['approved'] },
    { where: 'worker', ways: ['allowed'] },
  ],
  change_committed: [
    { where: 'api', ways: ['approved'] },
    { where: 'worker', ways: ['allowed'] },
  ],
  change_rung: [
    { where: 'api', ways: ['approved'] },
    { where: 'worker', ways: ['allowed'] },
  ],
  claim_written: [{ where: 'worker', ways }],
  claim_committed: [{ where: 'worker', ways }],
  call_answered: [{ where: 'worker', ways }],
  operation_written: [],
  operation_kept: [],
  callback_written: [],
  callback_kept: [],
  poll_taken: [],
  reconcile_taken: [],
  messages_made: [],
  message_claimed: [],
  message_answered: [],
  secret_written: [],
  secret_committed: [],
  tool_written: [],
  tool_committed: [],
  test_asked: [],
  test_taken: [],
  test_answered: [],
}

const cells = Object.entries(steps).flatMap(([step, met]) =>
  met.flatMap(({ where, ways }) =>
    ways.flatMap(way =>
      systems.flatMap(system => failures.map(failure => ({ step, where, way, system, failure }))),
    ),
  ),
)
type Cell = (typeof cells)[number]

const inApi = cells.filter(({ where }) => where === 'api')

/** An API that goes on meets all cells of a step, one after the other, since what failed is asked again elsewhere. */
const goingOn = [...new Set(inApi.map(({ step }) => step))].map(step => ({
  step,
  cells: inApi.filter(cell => cell.step === step && cell.failure !== 'kill'),
}))

let platform: Platform
let steady: ApiProcess
let made = 0

async function start(): Promise<void> {
  platform = await startPlatform(inject('redisUrl'), environment)
  steady = await platform.startApi()
}

it('has a step of each name', () => {
  expect(Object.keys(steps)).toEqual(Object.keys(failpoints))
})

/** Steps that a proposal to these actuators does not meet, and where they are failed. */
const elsewhere = [
  'completion-failpoints',
  'configuration-crashes',
  'webhook-crashes',
  'killing-call',
  'test-calls',
]

it('knows a test for each step that no cell meets', () => {
  const texts = elsewhere
    .map(name => readFileSync(join(import.meta.dirname, `${name}.test.ts`), 'utf8'))
    .join()
  const unmet = Object.entries(steps).filter(([, met]) => met.length === 0)
  expect(unmet.map(([step]) => step).filter(step => !texts.includes(step))).toEqual([])
})

describe('an API that fails', () => {
  beforeAll(async () => {
    await start()
    await platform.startWorker()
  })
  afterAll(() => platform.stop())

  it.each(inApi.filter(({ failure }) => failure === 'kill'))(
    'at $step: $failure, $system, $way',
    async cell => {
      const api = await platform.startApi(failing([cell]))
      const id = await propose(cell, api)
      await reached(cell, api)
      await settles(cell, id)
    },
    60_000,
  )

  describe.each(goingOn)('at $step', ({ cells }) => {
    let api: ApiProcess
    beforeAll(async () => {
      api = await platform.startApi(failing(cells))
    })
    afterAll(() => end(api))

    it.each(cells)(
      '$failure, $system, $way',
      async cell => {
        const id = await propose(cell, api)
        await api.process.logged('failpoint', cells.indexOf(cell) + 1)
        await settles(cell, id)
      },
      60_000,
    )
  })
})

describe('a worker that fails', () => {
  beforeAll(start)
  afterAll(() => platform.stop())

  it.each(cells.filter(({ where }) => where === 'worker'))(
    'at $step: $failure, $system, $way',
    async cell => {
      const worker = await platform.startWorker(failing([cell]))
      const id = await propose(cell, steady)
      await reached(cell, worker)
      const other = await platform.startWorker()
      await settles(cell, id)
      for (const failed of [worker, other]) await end(failed)
    },
    60_000,
  )
})

function failing(cells: readonly Cell[]): Record<string, string> {
  return { SERVICE_FAILPOINT: cells.map(({ step, failure }) => `${step}:${failure}`).join(',') }
}

async function end({ process }: ApiProcess | WorkerProcess): Promise<void> {
  process.signal('SIGKILL')
  await process.exited
}

async function settles(cell: Cell, id: string): Promise<void> {
  const trace = await eventually(`${id} is settled`, async () => {
    const { body } = await steady.client.trace(id)
    return ends[cell.system].includes(body.status) ? body : null
  })
  check(cell, trace)
}

/** A process that is killed may not have written its last line any more. */
async function reached({ failure }: Cell, { process }: ApiProcess | WorkerProcess): Promise<void> {
  if (failure === 'kill') expect(await process.exited).toMatchObject({ signal: 'SIGKILL' })
  else await process.logged('failpoint')
}

/** Submit, and approve where it is held, as a client does: what was not answered is asked again. */
async function propose({ system, way }: Cell, api: ApiProcess): Promise<string> {
  made += 1
  const proposal = {
    proposal_id: `p-${made}`,
    system,
    risk: way === 'approved' ? ('high' as const) : ('low' as const),
  }
  const first = await api.client.submit(proposal).catch(() => null)
  const accepted = first && first.status < 300 ? first : await steady.client.submit(proposal)
  expect([200, 202]).toContain(accepted.status)
  const { action_id } = accepted.body
  if (way === 'allowed') return action_id
  const approved = await api.client.approve(action_id).catch(() => null)
  if (approved && approved.status < 300) return action_id
  const again = await steady.client.approve(action_id)
  expect([200, 202, 409]).toContain(again.status)
  return action_id
}

/** Where an action comes to rest: what may have happened once is not repeated where the key is not honoured. */
const ends = { ledger_keyed: ['executed'], ledger_plain: ['executed', 'outcome_unknown'] }

function check({ system }: Cell, trace: Trace): void {
  const calls = platform.ledger().filter(({ action_id }) => action_id === trace.action_id)
  const keys = new Set(calls.map(({ key }) => key))
  expect(keys.size).toBeLessThanOrEqual(1)
  expect(calls.every(({ written_ahead }) => written_ahead)).toBe(true)
  expect(trace.events.filter(({ kind }) => kind === 'approval').length).toBeLessThanOrEqual(1)
  if (system === 'ledger_plain') expect(calls.length).toBeLessThanOrEqual(1)
  if (trace.status === 'executed') expect(calls.length).toBeGreaterThanOrEqual(1)
}
