import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { claim, settle } from '../../shared/lifecycle/execute.ts'
import type { Decide } from '../../shared/lifecycle/move.ts'
import { stillUnknown } from '../../shared/lifecycle/reconciliation.ts'
import { lockActions } from '../../shared/store/action/locked-actions.ts'
import type { DueAction } from '../../shared/store/job/claim/due-jobs.ts'
import { insertLateResult, takeReconcileAttempts } from '../../shared/store/job/reconcile-attempts.ts'
import {
  changeLocked,
  claimWith,
  freshLedger,
  type Ledger,
  seal,
  stored,
  tenantId,
  worker,
} from './ledger-fixture.ts'

/** Three attempts an hour apart, none of which is known to have had its effect, and a round of reconcile after them. */
const hour = 3_600_000
const now = Date.now()
const ago = (hours: number): string => new Date(now - hours * hour).toISOString()
const attempts = [5, 4, 3].map((hours, at) => ({
  at: ago(hours),
  not_after: ago(hours - 0.5),
  request_hash: `sha256:${at + 1}`,
}))
const timing = {
  terms: { retry_ms_min: 1, retry_ms_max: 1, retry_after_ms_max: 1, reconcile_ms_min: 1 },
  jitter: 0.5,
}

let ledger: Ledger
let id: string
/** What each claim was told of the attempts before. */
const told: Pick<DueAction, 'tried_for_ms' | 'request_hash'>[] = []

beforeAll(async () => {
  ledger = await freshLedger()
  id = await stored(ledger.store)
  for (const attempt of attempts) {
    const token = await vi.waitFor(() => claimed(attempt), { timeout: 10_000 })
    const outcome = { class: 'unknown', code: 'cut', message: 'the connection broke' } as const
    await decided(attempt.at, settle({ worker, token, outcome, ...timing }))
  }
  const round = { worker, rounds: 0, ...timing }
  const problem = { code: 'no_answer', message: 'nothing answered' }
  await decided(ago(1), stillUnknown(round, { source: 'lookup', problem, needsOperator: false }))
})

afterAll(() => ledger.close())

test('a claim is told the time since the first attempt, and the request of the latest', () => {
  expect(told.map(({ request_hash }) => request_hash)).toEqual([null, 'sha256:1', 'sha256:2'])
  expect(told.map(hoursTried)).toEqual([null, 5, 5])
})

test('a round is told what the latest attempt was given, and the time since the first', async () => {
  const [first, ...others] = await vi.waitFor(taken, { timeout: 10_000 })
  expect(others).toEqual([])
  const { attempt, not_after, request_hash, tried_for_ms, unknown_for_ms, late_by_ms } = first
  expect({ attempt, not_after, request_hash }).toEqual({
    attempt: 3,
    not_after: attempts[2]?.not_after,
    request_hash: 'sha256:3',
  })
  expect([tried_for_ms, unknown_for_ms, late_by_ms].map(ms => Math.round((2 * ms) / hour) / 2)).toEqual([
    5, 3, 2.5,
  ])
})

test('an action that is changed alone is told that a late result proves it', async () => {
  const proven = async () => {
    const told: boolean[] = []
    const rows = await ledger.store.write([tenantId], writer => lockActions(writer, [id]))
    told.push(...rows.map(({ proven }) => proven))
    return told
  }
  expect(await proven()).toEqual([false])
  const result = { action_id: id, tenant_id: tenantId, token: 1, worker: worker.id, detail: {} }
  await ledger.store.write([tenantId], writer => insertLateResult(writer, result))
  expect(await proven()).toEqual([true])
})

test('a late result proves its outcome for a busy partition, and nothing else', async () => {
  const other = await stored(ledger.store)
  await lost(other)
  const proven = await stored(ledger.store)
  await lost(proven)
  const result = { action_id: proven, tenant_id: tenantId, token: 1, worker: worker.id, detail: {} }
  await ledger.store.write([tenantId], writer => insertLateResult(writer, result))
  const partition = { tenant_id: tenantId, target_system: 'crm' }
  const [attempt, ...others] = await vi.waitFor(() => taken([partition]), { timeout: 10_000 })
  expect(attempt).toMatchObject({ action_id: proven, late_detail: '{}' })
  expect(others).toEqual([])
})

/** Claims a job whose downstream honours no key, and loses its outcome. */
async function lost(action: string): Promise<void> {
  let token = 0
  await ledger.store.write('all', writer =>
    claimWith(writer, 1, rows => {
      for (const row of rows) token = row.token
      const lease = { worker, token, lease_ms: 60_000, idempotency_key: action }
      const terms = { ...lease, not_after: ago(0), retry_until: ago(0) }
      return seal(rows, claim({ ...terms, actuator: {}, request_hash: null, key_honoured: false }))
    }),
  )
  const outcome = { class: 'unknown', code: 'cut', message: 'the connection broke' } as const
  await ledger.store.write([tenantId], writer =>
    changeLocked(writer, [action], rows => seal(rows, settle({ worker, token, outcome, ...timing }))),
  )
}

const hoursTried = ({ tried_for_ms }: Pick<DueAction, 'tried_for_ms'>) =>
  tried_for_ms === null ? null : Math.round(tried_for_ms / hour)

/** Claims the job as if it were the time of the attempt; throws where it is not due yet. */
async function claimed(attempt: { at: string; not_after: string; request_hash: string }): Promise<number> {
  let token = 0
  await ledger.store.write('all', writer =>
    claimWith(writer, 1, rows => {
      for (const row of rows) token = row.token
      told.push(...rows.map(({ tried_for_ms, request_hash }) => ({ tried_for_ms, request_hash })))
      const { at, not_after, request_hash } = attempt
      const retry = { key_honoured: true, retry_until: not_after }
      const terms = { worker, token, lease_ms: 60_000, idempotency_key: id, not_after, ...retry }
      const decide = claim({ ...terms, actuator: { request_hash }, request_hash: null })
      return seal(
        rows.map(row => ({ ...row, at })),
        decide,
      )
    }),
  )
  if (token === 0) throw new Error('the job is not due yet')
  return token
}

async function decided(at: string, decide: Decide): Promise<void> {
  await ledger.store.write([tenantId], writer =>
    changeLocked(writer, [id], rows =>
      seal(
        rows.map(row => ({ ...row, at })),
        decide,
      ),
    ),
  )
}

async function taken(busy: readonly { tenant_id: string; target_system: string }[] = []) {
  const { attempts } = await ledger.store.write('all', writer =>
    takeReconcileAttempts(writer, {
      after: { tenant_id: '', target_system: '' },
      busy,
      partitions: 1,
      partitions_of_tenant: 1,
      under_way: new Map(),
      rounds_of_partition: 1,
      sure: 1,
      hold_ms: 60_000,
    }),
  )
  const [first, ...others] = attempts
  if (!first) throw new Error('no round is due yet')
  return [first, ...others] as const
}
