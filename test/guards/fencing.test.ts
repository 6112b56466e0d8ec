import { afterAll, beforeAll, expect, it } from 'vitest'
import { sealChange } from '../../shared/flow/core/change-action.ts'
import { reject } from '../../shared/lifecycle/decide.ts'
import { judgeExpiredLease } from '../../shared/lifecycle/execute.ts'
import type { Decide } from '../../shared/lifecycle/move.ts'
import { readAction } from '../../shared/store/action/actions.ts'
import type { LockedAction } from '../../shared/store/action/locked-actions.ts'
import type { SealedChange } from '../../shared/store/action/sealed-change.ts'
import { renewLeases } from '../../shared/store/job/jobs.ts'
import type { Store } from '../../shared/store/postgres/open.ts'
import {
  approving,
  changeAction,
  changeLocked,
  claimUpTo,
  freshLedger,
  type Ledger,
  settleWith,
  stored,
  tenantId,
} from '../store/ledger-fixture.ts'
import { asReader, asWriter } from '../support/fixtures/ad-hoc.ts'

/** Token and state in the statements themselves, below the locks and decisions that look at them too. */
let ledger: Ledger
let store: Store

beforeAll(async () => {
  ledger = await freshLedger()
  store = ledger.store
})

afterAll(() => ledger.close())

async function claimed(): Promise<{ id: string; token: number }> {
  const id = await stored(store)
  const claim = (await claimUpTo(store, 100)).find(one => one.id === id)
  if (!claim) throw new Error('not claimed')
  return claim
}

/** What came of writing changes that were sealed on rows as they stood before. */
async function written(id: string, seal: (row: LockedAction) => SealedChange): Promise<string> {
  return store
    .write([tenantId], writer => changeLocked(writer, [id], rows => rows.map(seal)))
    .then(
      () => 'written',
      (error: Error) => error.name,
    )
}

function sealed(row: LockedAction, decide: Decide): SealedChange {
  const decided = decide(row)
  if (!decided.ok) throw new Error(`refused: ${decided.error.reason}`)
  return sealChange(row, decided.value)
}

it('an outcome that was decided on another token than the row carries is not written', async () => {
  const { id, token } = await claimed()
  const onOlderToken = (row: LockedAction): SealedChange => {
    const { change, ...rest } = sealed(row, settleWith(token))
    return { ...rest, change: { ...change, job: change.job && { ...change.job, expected_token: token - 1 } } }
  }
  expect(await written(id, onOlderToken)).toBe('LedgerConflict')
  const action = await store.read([tenantId], reader => readAction(reader, tenantId, id))
  expect(action).toMatchObject({ status: 'executing', event_count: 3, job: { state: 'leased' } })
})

it('an approval that was decided before a rejection was recorded is not written', async () => {
  const id = await stored(store, { decision: 'needs_approval' })
  const approver = { id: 'apk_1', kind: 'approver' } as const
  let before: LockedAction | undefined
  await written(id, row => {
    before = row
    return sealed(row, reject(approver, {}))
  })
  const onOlderState = () => sealed(before as LockedAction, approving(approver))
  expect(await written(id, onOlderState)).toBe('LedgerConflict')
  const action = await store.read([tenantId], reader => readAction(reader, tenantId, id))
  expect(action).toMatchObject({ status: 'denied', event_count: 3, job: null })
})

it('a lease that another worker took over is not renewed by the first', async () => {
  const { id, token } = await claimed()
  await asWriter(
    store,
    `update execution_jobs set lease_expires_at = clock_timestamp() - interval '1 s' where action_id = '${id}'`,
  )
  const timing = {
    terms: { retry_ms_min: 0, retry_ms_max: 0, retry_after_ms_max: 0, reconcile_ms_min: 0 },
    jitter: 0,
  }
  expect(await changeAction(store, [id], judgeExpiredLease(timing))).toHaveLength(1)
  const [again] = (await claimUpTo(store, 100)).filter(one => one.id === id)
  const end = () => asReader(store, `select lease_expires_at from execution_jobs where action_id = '${id}'`)
  const before = await end()
  const renew = (with_token: number) =>
    store.write('all', writer => renewLeases(writer, [{ action_id: id, token: with_token }], 60_000))
  expect([...(await renew(token))]).toEqual([])
  expect(await end()).toEqual(before)
  expect([...(await renew(again?.token ?? 0))]).toEqual([again?.token])
})
