import { randomBytes } from 'node:crypto'
import { sealChange } from '../../shared/flow/core/change-action.ts'
import type { ActionState } from '../../shared/lifecycle/change.ts'
import { approve, open } from '../../shared/lifecycle/decide.ts'
import { claim, settle } from '../../shared/lifecycle/execute.ts'
import type { Decide } from '../../shared/lifecycle/move.ts'
import { isLost } from '../../shared/runtime/outage.ts'
import { appendChanges, insertActions, type Opened } from '../../shared/store/action/ledger.ts'
import { type LockedAction, lockActions } from '../../shared/store/action/locked-actions.ts'
import type { SealedChange, SealedOpening } from '../../shared/store/action/sealed-change.ts'
import { type ClaimBounds, type DueAction, lockDueJobs } from '../../shared/store/job/claim/due-jobs.ts'
import { openStore, type Store, type Writer } from '../../shared/store/postgres/open.ts'
import { insertPolicyRevision } from '../../shared/store/tenant/policy-revisions.ts'
import { insertTenant } from '../../shared/store/tenant/tenant-rows.ts'
import { claimDeliveries } from '../../shared/store/webhook/due-deliveries.ts'
import { type FreshDatabase, freshDatabase } from '../support/servers/database.ts'

export const tenantId = 'acme'
export const worker = { id: 'wrk_test', kind: 'worker' } as const

export function openTestStore(database: FreshDatabase, poolSize = 5, statementMsMax = 5_000): Store {
  const { host, database: name, runtimeUser: user } = database
  return openStore({ host, user, database: name }, { poolSize, statementMsMax, name: 'store-test', isLost })
}

/** A fresh database under its store, with the tenant that these tests write for. */
export interface Ledger {
  database: FreshDatabase
  store: Store
  close(): Promise<void>
}

export async function freshLedger(): Promise<Ledger> {
  const database = await freshDatabase()
  const store = openTestStore(database)
  await makeTenant(store)
  return {
    database,
    store,
    async close() {
      await store.close()
      await database.drop()
    },
  }
}

export async function makeTenant(store: Store): Promise<void> {
  await store.change([tenantId], async query => {
    await insertTenant(query, { tenant_id: tenantId, approval_ttl_ms: 60_000, verification_gate: false })
    await insertPolicyRevision(query, {
      tenant_id: tenantId,
      revision: 1,
      policy: '{}',
      policy_hash: 'sha256:0',
      catalog_hash: null,
      author: { source: 'test' },
      change_note: null,
    })
  })
}

/** A new action, sealed as a flow would seal it. */
export function opening(
  change: {
    proposal_id?: string
    decision?: 'allow' | 'needs_approval' | 'deny'
    approval_ttl_ms?: number
  } = {},
): SealedOpening {
  const opened = open({
    proposer: { id: 'agk_1', kind: 'agent' },
    proposal: { proposal_id: 'p', actor: { agent_id: 'a' }, summary: 's', action: { parameters: {} } },
    verdict: { decision: change.decision ?? 'allow', effective_risk: { level: 'high' } },
    attempts_max: 3,
    approval_ttl_ms: change.approval_ttl_ms ?? 60_000,
  })
  const at = new Date().toISOString()
  const action = { action_id: newId(), tenant_id: tenantId, at, leaves: [] }
  return {
    ...sealChange(action, opened),
    proposal_id: change.proposal_id ?? action.action_id,
    proposal_hash: 'sha256:0',
    target_system: 'crm',
    operation: 'read',
    key_id: 'agk_1',
    rules_version: 1,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  }
}

/** Stores a new action and gives its id. */
export async function stored(store: Store, change: Parameters<typeof opening>[0] = {}): Promise<string> {
  const sealed = opening(change)
  const [answer] = await inserted(store, [sealed])
  if (answer?.outcome !== 'made') throw new Error(`not made: ${answer?.outcome}`)
  return sealed.action_id
}

/** Stores new actions of the tenant. */
export function inserted(
  store: Store,
  openings: readonly SealedOpening[],
  checksKeys = false,
): Promise<Opened[]> {
  return store.write([tenantId], writer => insertActions(writer, openings, checksKeys))
}

/** Decides about actions under their locks; what is refused changes nothing. */
export async function changeAction(store: Store, ids: string[], decide: Decide): Promise<SealedChange[]> {
  let made: readonly SealedChange[] = []
  await store.write([tenantId], async writer => {
    made = await changeLocked(writer, ids, rows => seal(rows, decide))
  })
  return [...made]
}

/** Lock actions and append what is made of them. */
export async function changeLocked(
  writer: Writer,
  ids: readonly string[],
  sealAll: (rows: readonly LockedAction[]) => readonly SealedChange[],
): Promise<readonly SealedChange[]> {
  const changes = sealAll(await lockActions(writer, ids))
  await appendChanges(writer, changes)
  return changes
}

/** Claims up to `limit` due jobs; answers the id and the token of each. */
export async function claimUpTo(store: Store, limit: number, leaseMs = 10_000) {
  const due = await store.write('all', writer =>
    claimWith(writer, limit, rows => rows.flatMap(row => seal([row], claiming(row, leaseMs)))),
  )
  return due.map(({ action_id: id, token }) => ({ id, token }))
}

/** Lock due jobs and append what is made of them. */
export async function claimWith(
  writer: Writer,
  limit: number,
  sealAll: (rows: readonly DueAction[]) => readonly SealedChange[],
): Promise<DueAction[]> {
  const { due } = await lockDueJobs(writer, claimBounds(limit))
  await appendChanges(writer, sealAll(due))
  return due
}

export function claimBounds(limit: number, bounds: Partial<ClaimBounds> = {}): ClaimBounds {
  return {
    limit,
    after: '',
    since: null,
    shares: { tenant: limit, system: limit },
    taken: new Map(),
    tenant_in_flight_max: 1_000_000,
    actuator_in_flight_max: 1_000_000,
    ...bounds,
  }
}

/** How many messages a claim takes up to a limit. */
export async function claimMessages(writer: Writer, limit: number): Promise<number> {
  const bounds = { limit, after: '', each: limit, busy: new Map(), lease_ms: 1_000 }
  return (await claimDeliveries(writer, bounds)).messages.length
}

/** What a claim that begins there would take, of which it takes nothing, and how long ago the time is that it tells. */
export async function lookedAt(store: Store, from: string | null, bounds: Partial<ClaimBounds> = {}) {
  const { limit = 100, ...others } = bounds
  const { due, report, read } = await store.write('all', async writer => {
    const before = await entriesRead(writer)
    const locked = await lockDueJobs(writer, claimBounds(limit, { since: from, ...others }))
    return { ...locked, read: (await entriesRead(writer)) - before }
  })
  const ids = due.map(({ action_id }) => action_id)
  const at = Date.parse(`${report.since?.replace(' ', 'T')}:00`)
  return { ids, ...report, read, secondsAgo: (Date.now() - at) / 1_000 }
}

/** Of the index of pending jobs, so far. */
async function entriesRead(writer: Writer): Promise<number> {
  const index = "'execution_jobs_due_by_system'::regclass"
  const [row] = await writer.query<{ read: number }>(
    '',
    `select pg_stat_get_xact_tuples_returned(${index})::int4 as read`,
    [],
  )
  return row?.read ?? Number.NaN
}

/** An approval as the flow makes it. */
export function approving(approver: { id: string; kind: 'approver' }): Decide {
  return approve({ approver, payload: {}, attempts_max: 3, proposal_hash: null, request_hash: null })
}

export function settleWith(token: number): Decide {
  return settle({
    worker,
    token,
    outcome: { class: 'ok', detail: {} },
    terms: { retry_ms_min: 1, retry_ms_max: 1, retry_after_ms_max: 1, reconcile_ms_min: 1 },
    jitter: 0.5,
  })
}

function claiming(row: DueAction, lease_ms: number): Decide {
  return claim({
    worker,
    token: row.token,
    lease_ms,
    idempotency_key: row.action_id,
    not_after: row.at,
    retry_until: row.at,
    actuator: {},
    request_hash: null,
    key_honoured: true,
  })
}

export function seal(rows: readonly (LockedAction & ActionState)[], decide: Decide): SealedChange[] {
  return rows.flatMap(row => {
    const decided = decide(row)
    return decided.ok ? [sealChange(row, decided.value)] : []
  })
}

function newId(): string {
  return `act_${randomBytes(18).toString('hex')}`
}
