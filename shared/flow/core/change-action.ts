import { sealEntries } from '../../audit/event/seal.ts'
import { endpoints } from '../../contract/endpoints/endpoints.ts'
import type { SlackIdentity } from '../../contract/slack-schema.ts'
import type { Change } from '../../lifecycle/change.ts'
import { holderOf, unrecordedHolder } from '../../lifecycle/holder.ts'
import { jobLeft } from '../../lifecycle/job.ts'
import type { Decide, Refusal } from '../../lifecycle/move.ts'
import { ok, type Result, refused } from '../../result.ts'
import { createBatcher } from '../../runtime/batcher.ts'
import { laterBy } from '../../runtime/clock.ts'
import { random32 } from '../../runtime/ids.ts'
import { isLost } from '../../runtime/outage.ts'
import { holdSession } from '../../store/account/session-rows.ts'
import { appendChanges, appendUnlocked, LedgerConflict } from '../../store/action/ledger.ts'
import { type LockedAction, lockActions } from '../../store/action/locked-actions.ts'
import type { SealedChange } from '../../store/action/sealed-change.ts'
import type { Scope, Writer } from '../../store/postgres/open.ts'
import { holdKeys } from '../../store/tenant/api-keys.ts'
import { holdSlackLink } from '../../store/tenant/slack-rows.ts'
import { type Context, perContext } from './context.ts'

export type ChangeOutcome = Result<
  CommittedChange,
  Refusal | { reason: 'not_found' | 'key_revoked' | 'session_ended' | 'link_ended' | 'changed' }
>

export interface CommittedChange extends SealedChange {
  age_ms: number
  traceparent: string | null
}

export type Decider =
  | { key_id: string }
  | { session_hash: Buffer }
  | { slack: SlackIdentity; owner: { account_id: string } }

const unknown: ChangeOutcome = refused({ reason: 'not_found' })

type GoodDeciders = ReadonlyMap<Decider, string>

export interface ActionChange {
  action_id: string
  /** Null if the process itself acts (worker, sweeper); otherwise an action of another tenant is not found. */
  tenant_id: string | null
  /** The person's credential, which must still be valid for this tenant when the decision is committed. */
  decided_by?: Decider
  /** The expected number of events; the change is refused as `changed` if the action has another number. */
  event_count?: number
  decide(action: LockedAction, holder?: string): ReturnType<Decide>
  /** Receives the sealed change before the commit, because the answer of the commit may be lost. */
  sealed?(change: SealedChange): void
}

export interface LeasedActionChange extends ActionChange {
  tenant_id: string
  left: LockedAction
}

/**
 * Changes actions: it locks and loads them, asks the synchronous pure function of each change, seals the audit
 * entries, commits, and wakes workers only afterwards. Changes of different actions share one transaction; answers
 * keep their order.
 */
export async function changeActions(
  context: Context,
  changes: readonly ActionChange[],
): Promise<ChangeOutcome[]> {
  const answers = await committed(context, scopeOf(changes), async writer => {
    const judged = await judgeChanges(context, writer, changes)
    await appendChanges(writer, changesOf([...judged.values()]))
    return judged
  })
  return changes.map(({ action_id }) => answers.get(action_id) ?? unknown)
}

export async function judgeChanges(
  context: Context,
  writer: Writer,
  changes: readonly ActionChange[],
): Promise<ReadonlyMap<string, ChangeOutcome>> {
  const byId = new Map(changes.map(change => [change.action_id, change]))
  // The query for keys is sent together with that of the locks, so that a lone decision costs one round trip.
  const keys = await goodKeys(context, writer, changes)
  const members = await goodMembers(writer, changes)
  const rows = await lockActions(writer, [...byId.keys()])
  const good = new Map([...members, ...keys()])
  return new Map(rows.map(row => [row.action_id, changeRow(row, byId.get(row.action_id), good)]))
}

/**
 * Changes leased actions without reading them again, because only a process that takes over the lease may change
 * them meanwhile. If a row differs, the write is refused and all changes run under locks instead. Several attempts
 * of one action are judged one after the other.
 */
export function changeLeased(
  context: Context,
  changes: readonly LeasedActionChange[],
): Promise<ChangeOutcome[]> {
  return inRounds(changes, round => changeAsLeft(context, round))
}

/** Splits changes into rounds with one change per action, so that each is judged on the row the previous one left. */
async function inRounds<One extends ActionChange>(
  changes: readonly One[],
  changeRound: (round: readonly One[]) => Promise<ChangeOutcome[]>,
): Promise<ChangeOutcome[]> {
  const answers = new Map<One, ChangeOutcome>()
  for (let left = changes; left.length > 0; left = left.filter(one => !answers.has(one))) {
    const round = firstOfEach(left)
    const outcomes = await changeRound(round)
    for (const [at, one] of round.entries()) answers.set(one, outcomes[at] ?? unknown)
  }
  return changes.map(one => answers.get(one) ?? unknown)
}

function firstOfEach<One extends ActionChange>(changes: readonly One[]): One[] {
  const seen = new Set<string>()
  return changes.filter(({ action_id }) => !seen.has(action_id) && seen.add(action_id))
}

async function changeAsLeft(
  context: Context,
  changes: readonly LeasedActionChange[],
): Promise<ChangeOutcome[]> {
  const now = context.databaseClock.now()
  // After a reconcile round a late result may have come since the claim; it is looked up under the lock.
  if (now === null || changes.some(({ left }) => (left.job?.rounds ?? 0) > 0))
    return changeActions(context, changes)
  const answers = changes.map(leased => changeRow(laterOf(leased.left, now), leased, new Map()))
  if (!answers.every(({ ok }) => ok)) return changeActions(context, changes)
  try {
    return await committed(context, scopeOf(changes), async writer => {
      await appendUnlocked(writer, changesOf(answers))
      return answers
    })
  } catch (error) {
    if (error instanceof LedgerConflict) return changeActions(context, changes)
    throw error
  }
}

/** Commits what `write` does and wakes workers only after the commit. */
async function committed<Answers extends { values(): Iterable<ChangeOutcome> }>(
  context: Context,
  scope: Scope,
  write: (writer: Writer) => Promise<Answers>,
): Promise<Answers> {
  await context.reach('change_asked')
  const answers = await context.store.write(scope, async writer => {
    const written = await write(writer)
    await context.reach('change_written')
    return written
  })
  await context.reach('change_committed')
  announce(context, [...answers.values()])
  await context.reach('change_rung')
  return answers
}

function changesOf(answers: readonly ChangeOutcome[]): SealedChange[] {
  return answers.flatMap(answer => (answer.ok ? [answer.value] : []))
}

/** Advances an action to `now`, but never to an earlier time than its row has. */
function laterOf(left: LockedAction, now: string): LockedAction {
  const passed = Math.max(0, Date.parse(now) - Date.parse(left.at))
  return { ...left, at: laterBy(left.at, passed), age_ms: left.age_ms + passed }
}

export function leftBy({ change, leaves }: SealedChange, row: LockedAction): LockedAction {
  return {
    ...row,
    status: change.to,
    event_count: leaves.length,
    leaves: [...leaves],
    job: change.job && jobLeft(change.job),
  }
}

/** Seals a change: its entries continue the action's stream under the time of the locked row. */
export function sealChange(
  action: Pick<LockedAction, 'action_id' | 'tenant_id' | 'at' | 'leaves'>,
  change: Change,
): SealedChange {
  const { action_id, tenant_id, at } = action
  const sealed = sealEntries({
    tenantId: tenant_id,
    stream: `action/${action_id}`,
    at,
    priorLeaves: action.leaves,
    entries: change.entries.map(({ kind, principal, payload, payload_text }) => ({
      kind,
      principal,
      payload,
      payload_text,
      salt: random32(),
    })),
  })
  const rows = sealed.events.map((event, index) => {
    const { kind, from, to } = entryAt(change, index)
    return { from, to, ...event, kind }
  })
  return { action_id, tenant_id, at, change, rows, leaves: sealed.leaves, root: sealed.root }
}

/**
 * Wakes the workers for pending jobs and the callers that wait for these actions; it must run after the commit.
 */
export function announce(context: Context, outcomes: readonly Result<SealedChange, unknown>[]): void {
  const changes = outcomes.flatMap(answer => (answer.ok ? [answer.value] : []))
  const rings = changes.flatMap(({ action_id, change: { job } }) =>
    job?.state === 'pending' ? [{ id: `${action_id}-${job.lease_token}`, delayMs: job.run_in_ms }] : [],
  )
  if (rings.length > 0) context.doorbell.ring(rings)
  context.watch.hint(changes.map(({ action_id }) => action_id))
}

/** Returns the tenants of the changes, or `all` if the process itself acts. */
function scopeOf(changes: readonly ActionChange[]): Scope {
  const tenants = changes.map(({ tenant_id }) => tenant_id)
  return tenants.includes(null) ? 'all' : [...new Set(tenants.filter(tenant => tenant !== null))]
}

/** Returns the valid members with their holders; locks keep them valid until the transaction ends. */
async function goodMembers(writer: Writer, changes: readonly ActionChange[]): Promise<GoodDeciders> {
  const good = new Map<Decider, string>()
  for (const { decided_by: decider, tenant_id } of changes) {
    if (!decider || 'key_id' in decider || tenant_id === null || good.has(decider)) continue
    const holder = await memberHolder(writer, decider, tenant_id)
    if (holder !== undefined) good.set(decider, holder)
  }
  return good
}

async function memberHolder(
  writer: Writer,
  decider: Exclude<Decider, { key_id: string }>,
  tenant_id: string,
): Promise<string | undefined> {
  const { roles } = endpoints.approve_owned_action
  if ('slack' in decider) {
    const { account_id } = decider.owner
    const isLinked = await holdSlackLink(writer, decider.slack, { tenant_id, account_id, roles })
    return isLinked ? holderOf({ account_id }) : undefined
  }
  const account_id = await holdSession(writer, decider.session_hash, { tenant_id, roles })
  return account_id === null ? undefined : holderOf({ account_id })
}

/**
 * Returns a function that gives the valid keys once the actions are locked. Keys of the same database stay valid
 * until the transaction ends; keys in another database are checked just before.
 */
async function goodKeys(
  context: Context,
  writer: Writer,
  changes: readonly ActionChange[],
): Promise<() => GoodDeciders> {
  const deciders = changes.flatMap(({ decided_by: by }) => (by && 'key_id' in by ? by : []))
  if (deciders.length === 0) return () => new Map()
  const ids = deciders.map(({ key_id }) => key_id)
  const held =
    context.keys === context.store
      ? holdKeys(writer, ids)
      : await context.keys.write(scopeOf(changes), async keys => holdKeys(keys, ids))
  return () => {
    const holders = held()
    return new Map(
      deciders.flatMap(decider => {
        const holder = holders.get(decider.key_id)
        return holder === undefined ? [] : [[decider, holder ?? unrecordedHolder]]
      }),
    )
  }
}

function changeRow(row: LockedAction, change: ActionChange | undefined, good: GoodDeciders): ChangeOutcome {
  if (!change || (change.tenant_id !== null && change.tenant_id !== row.tenant_id)) {
    return unknown
  }
  const { decided_by, event_count = row.leaves.length } = change
  if (event_count !== row.leaves.length) return refused({ reason: 'changed' })
  if (decided_by !== undefined && !good.has(decided_by)) {
    return refused({ reason: endedOf(decided_by) })
  }
  const decided = change.decide(row, decided_by && good.get(decided_by))
  if (!decided.ok) return decided
  const sealed = sealChange(row, decided.value)
  change.sealed?.(sealed)
  return ok({ age_ms: row.age_ms, traceparent: row.traceparent, ...sealed })
}

function endedOf(decider: Decider): 'key_revoked' | 'link_ended' | 'session_ended' {
  if ('key_id' in decider) return 'key_revoked'
  return 'slack' in decider ? 'link_ended' : 'session_ended'
}

function entryAt(change: Change, index: number): Change['entries'][number] {
  const entry = change.entries[index]
  if (!entry) throw new Error('a sealed event has no entry')
  return entry
}

/**
 * At most two groups run at once; the second leaves only with 12 waiting changes, since a smaller one would not be
 * worth its connection. Changes of one turn of the event loop form one group.
 */
const together = { size_max: 64, groups_max: 2, crowd: 12, gathers: true, isOfAll: isLost }

/**
 * Changes an action in one transaction and commit with concurrent changes of all tenants; changes of one action
 * are judged in order of arrival. A failed group runs again, so a caller may be refused a change that was recorded
 * before; its own `sealed` has received that change.
 */
export function changeTogether(context: Context, change: ActionChange): Promise<ChangeOutcome> {
  return batcherOf(context)(change)
}

const batcherOf = perContext(context => {
  const run = (group: ActionChange[]) => inRounds(group, round => changeActions(context, round))
  return createBatcher({ ...together, run })
})
