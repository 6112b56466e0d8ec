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

/** What came of a change: the change that was committed, or why there was none. */
export type ChangeOutcome = Result<
  CommittedChange,
  Refusal | { reason: 'not_found' | 'key_revoked' | 'session_ended' | 'link_ended' | 'changed' }
>

/** A committed change of an action: its age in milliseconds when it was changed, and the trace of its proposal. */
export interface CommittedChange extends SealedChange {
  age_ms: number
  traceparent: string | null
}

/** What a person decides with: a key, a session, or a button in Slack by whom their account is linked to. */
export type Decider =
  | { key_id: string }
  | { session_hash: Buffer }
  | { slack: SlackIdentity; owner: { account_id: string } }

const unknown: ChangeOutcome = refused({ reason: 'not_found' })

type GoodDeciders = ReadonlyMap<Decider, string>

export interface ActionChange {
  action_id: string
  /** Null where the process itself acts (worker, sweeper); else an action of another tenant is not found. */
  tenant_id: string | null
  /** What the person decides with: it must be good, for this tenant, when the decision is committed. */
  decided_by?: Decider
  /** How many events the action has where it is as it was read; else it is refused as changed. */
  event_count?: number
  decide(action: LockedAction, holder?: string): ReturnType<Decide>
  /** Told what is about to be committed, whose answer may then be lost. */
  sealed?(change: SealedChange): void
}

/** An action of which this process holds the lease, as its claim left it. */
export interface LeasedActionChange extends ActionChange {
  tenant_id: string
  left: LockedAction
}

/**
 * The one way to change actions: lock, load, ask a synchronous pure function, seal the audit entries, commit, and only
 * then ring. Several changes of different actions share one transaction; answers are in their order.
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

/** Lock the actions of some changes and ask what becomes of each; nothing is written. */
export async function judgeChanges(
  context: Context,
  writer: Writer,
  changes: readonly ActionChange[],
): Promise<ReadonlyMap<string, ChangeOutcome>> {
  const byId = new Map(changes.map(change => [change.action_id, change]))
  // A lone decision locks in the round trip in which its key is held.
  const keys = await goodKeys(context, writer, changes)
  const members = await goodMembers(writer, changes)
  const rows = await lockActions(writer, [...byId.keys()])
  const good = new Map([...members, ...keys()])
  return new Map(rows.map(row => [row.action_id, changeRow(row, byId.get(row.action_id), good)]))
}

/**
 * The same without reading again what a claim has left: nobody changes an action under a lease but who takes it over. The
 * write refuses what is not as it was left, and then all are changed as every other. Two attempts of one action are judged
 * one after the other.
 */
export function changeLeased(
  context: Context,
  changes: readonly LeasedActionChange[],
): Promise<ChangeOutcome[]> {
  return inRounds(changes, round => changeAsLeft(context, round))
}

/** Change so that no round has two changes of one action: each is judged by what the one before it has left. */
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

/** The first change of each action. */
function firstOfEach<One extends ActionChange>(changes: readonly One[]): One[] {
  const seen = new Set<string>()
  return changes.filter(({ action_id }) => !seen.has(action_id) && seen.add(action_id))
}

async function changeAsLeft(
  context: Context,
  changes: readonly LeasedActionChange[],
): Promise<ChangeOutcome[]> {
  const now = context.databaseClock.now()
  // Where there was a round there may be a result that came late since the claim: that is looked up under the lock.
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

/** Change actions by what `write` does, commit, and only then ring. */
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

/** An action as it was left, at a time that is no earlier. */
function laterOf(left: LockedAction, now: string): LockedAction {
  const passed = Math.max(0, Date.parse(now) - Date.parse(left.at))
  return { ...left, at: laterBy(left.at, passed), age_ms: left.age_ms + passed }
}

/** What a change leaves of an action. */
export function leftBy({ change, leaves }: SealedChange, row: LockedAction): LockedAction {
  return {
    ...row,
    status: change.to,
    event_count: leaves.length,
    leaves: [...leaves],
    job: change.job && jobLeft(change.job),
  }
}

/** Seal a change: continue the action's stream with its entries, under the time of the locked row. */
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

/** After a commit: wake workers for jobs that are pending, and whoever waits for the actions. */
export function announce(context: Context, outcomes: readonly Result<SealedChange, unknown>[]): void {
  const changes = outcomes.flatMap(answer => (answer.ok ? [answer.value] : []))
  const rings = changes.flatMap(({ action_id, change: { job } }) =>
    job?.state === 'pending' ? [{ id: `${action_id}-${job.lease_token}`, delayMs: job.run_in_ms }] : [],
  )
  if (rings.length > 0) context.doorbell.ring(rings)
  context.watch.hint(changes.map(({ action_id }) => action_id))
}

/** The tenants of the changes; everything where the process itself acts. */
function scopeOf(changes: readonly ActionChange[]): Scope {
  const tenants = changes.map(({ tenant_id }) => tenant_id)
  return tenants.includes(null) ? 'all' : [...new Set(tenants.filter(tenant => tenant !== null))]
}

/** Members who are good, and stay so until the transaction ends; each with their holder. */
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
 * The same of keys, once the actions are locked. Keys beside the tenants are held by the same transaction; those in a
 * database of their own are read just before.
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

/** What is to be said of a decider that is good no more. */
function endedOf(decider: Decider): 'key_revoked' | 'link_ended' | 'session_ended' {
  if ('key_id' in decider) return 'key_revoked'
  return 'slack' in decider ? 'link_ended' : 'session_ended'
}

function entryAt(change: Change, index: number): Change['entries'][number] {
  const entry = change.entries[index]
  if (!entry) throw new Error('a sealed event has no entry')
  return entry
}

/** As accepting does: a few groups under way, the second where it is worth a connection. Keys are looked up together just before. */
const together = { size_max: 64, groups_max: 2, crowd: 12, gathers: true, isOfAll: isLost }

/**
 * Change an action together with others of the same moment, whoever's they are: one transaction and one commit for all.
 * Changes of one action are judged one after the other, in the order in which they came. A group that fails is tried
 * again, so that whoever asks may be refused what was recorded before: its own `sealed` was told of it.
 */
export function changeTogether(context: Context, change: ActionChange): Promise<ChangeOutcome> {
  return batcherOf(context)(change)
}

const batcherOf = perContext(context => {
  const run = (group: ActionChange[]) => inRounds(group, round => changeActions(context, round))
  return createBatcher({ ...together, run })
})
