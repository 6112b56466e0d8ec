import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Outcome } from '../../shared/contract/configuration/actuator-schema.ts'
import { claim, settle } from '../../shared/lifecycle/execute.ts'
import { findAbsent } from '../../shared/lifecycle/reconciliation.ts'
import { insertLateResult, takeReconcileAttempts } from '../../shared/store/job/reconcile-attempts.ts'
import { asWriter } from '../support/fixtures/ad-hoc.ts'
import {
  changeAction,
  claimWith,
  freshLedger,
  type Ledger,
  seal,
  settleWith,
  stored,
  tenantId,
  worker,
} from './ledger-fixture.ts'

const timing = {
  terms: { retry_ms_min: 1, retry_ms_max: 1, retry_after_ms_max: 1, reconcile_ms_min: 1 },
  jitter: 0.5,
}
const cut = { class: 'unknown', code: 'cut', message: 'the connection broke' } as const
const refused = { class: 'failed', code: 'no_funds', message: 'nothing was charged' } as const

let ledger: Ledger
beforeAll(async () => {
  ledger = await freshLedger()
})
afterAll(() => ledger.close())

test('a result that came late while it was tried again leaves a failure unknown', async () => {
  const { id, token } = await begun()
  expect(await statusAfter(id, settle({ worker, token, outcome: cut, ...timing }))).toBe('outcome_unknown')
  expect(await statusAfter(id, findAbsent({ worker, rounds: 0, ...timing }))).toBe('execution_pending')
  const again = await vi.waitFor(claimed, { timeout: 10_000 })
  expect(await late(id, token)).toEqual({ contradicts: false })
  const failed = settle({ worker, token: again.token, outcome: refused, ...timing })
  expect(await statusAfter(id, failed)).toBe('outcome_unknown')
})

test('a result that came late contradicts a recorded failure, and nothing else', async () => {
  const ends: [string, Outcome | null][] = [
    ['executed', null],
    ['outcome_unknown', cut],
    ['execution_failed', refused],
  ]
  for (const [status, outcome] of ends) {
    const { id, token } = await begun()
    const end = outcome === null ? settleWith(token) : settle({ worker, token, outcome, ...timing })
    expect(await statusAfter(id, end)).toBe(status)
    const contradicts = status === 'execution_failed'
    expect(await late(id, token)).toEqual({ contradicts })
    expect(
      await asWriter(ledger.store, `select contradicts from late_results where action_id = '${id}'`),
    ).toEqual([{ contradicts }])
  }
})

test('a busy system has its key repeated until its calls cost a worker per attempt', async () => {
  await asWriter(ledger.store, "update execution_jobs set needs_operator = true where state = 'unknown'")
  const ids: string[] = []
  for (const leasesLost of [2, 3]) {
    const { id, token } = await begun()
    await statusAfter(id, settle({ worker, token, outcome: cut, ...timing }))
    const set = `key_honoured = true, leases_lost = ${leasesLost}, next_run_at = now() - interval '1 s'`
    await asWriter(ledger.store, `update execution_jobs set ${set} where action_id = '${id}'`)
    ids.push(id)
  }
  const { attempts } = await ledger.store.write('all', writer =>
    takeReconcileAttempts(writer, {
      after: { tenant_id: '', target_system: '' },
      busy: [{ tenant_id: tenantId, target_system: 'crm' }],
      partitions: 5,
      partitions_of_tenant: 5,
      under_way: new Map(),
      rounds_of_partition: 5,
      sure: 5,
      hold_ms: 1_000,
    }),
  )
  expect(attempts.map(({ action_id }) => action_id)).toEqual(ids.slice(0, 1))
})

/** A new action whose only attempt is under way. */
async function begun(): Promise<{ id: string; token: number }> {
  const id = await stored(ledger.store)
  const { token } = await vi.waitFor(claimed, { timeout: 10_000 })
  return { id, token }
}

/** Claims the job that is due, of an actuator that honours no key. */
async function claimed(): Promise<{ token: number }> {
  const tokens: number[] = []
  await ledger.store.write('all', writer =>
    claimWith(writer, 1, rows =>
      rows.flatMap(row => {
        const { token, action_id: idempotency_key, at } = row
        tokens.push(token)
        const terms = { worker, token, lease_ms: 10_000, idempotency_key, not_after: at, retry_until: at }
        return seal([row], claim({ ...terms, actuator: {}, request_hash: null, key_honoured: false }))
      }),
    ),
  )
  const [token] = tokens
  if (token === undefined) throw new Error('no job is due')
  return { token }
}

async function statusAfter(
  id: string,
  decide: Parameters<typeof changeAction>[2],
): Promise<string | undefined> {
  await changeAction(ledger.store, [id], decide)
  const [row] = await asWriter<{ status: string }>(
    ledger.store,
    `select status from actions where action_id = '${id}'`,
  )
  return row?.status
}

function late(id: string, token: number): Promise<{ contradicts: boolean }> {
  const result = { action_id: id, tenant_id: tenantId, token, worker: worker.id, detail: {} }
  return ledger.store.write([tenantId], writer => insertLateResult(writer, result))
}
