import type { Actuator } from '../actuator/actuator.ts'
import type { Registry } from '../actuator/registry.ts'
import { documentHash, sha256 } from '../canon/digest.ts'
import type { RecordedVerdict } from '../contract/action.ts'
import type { Principal } from '../contract/audit.ts'
import type { Proposal } from '../contract/proposal.ts'
import { claim, refuse } from '../lifecycle/decide.ts'
import { ok } from '../result.ts'
import { monotonicMs } from '../runtime/clock.ts'
import { claimDue, type DueAction } from '../store/locked-actions.ts'
import type { SealedChange } from '../store/sealed-change.ts'
import { announce, sealChange } from './amend-action.ts'
import type { Context } from './context.ts'

/** A job whose lease this worker holds: everything the call of its actuator needs. */
export interface ClaimedJob {
  action_id: string
  tenant_id: string
  token: number
  attempt: number
  idempotency_key: string
  actuator: Actuator
  kind: string
  proposal: Proposal
  /** On the monotonic clock, from before the claim was sent: the lease certainly ends no earlier than this plus it. */
  claimed_at: number
}

export interface Claimer {
  worker: Principal
  registry: Registry
  limit: number
}

/**
 * Take the leases of due jobs, up to `limit`, in one transaction that also writes ahead that their actuators are about
 * to be called. What would run is compared with what was decided; a mismatch ends the action before any effect.
 * `more` says that the claim was full, so that there may be more work due.
 */
export async function claimJobs(
  context: Context,
  claimer: Claimer,
): Promise<{ jobs: ClaimedJob[]; more: boolean }> {
  const claimedAt = monotonicMs()
  let jobs: ClaimedJob[] = []
  let changes: SealedChange[] = []
  let due = 0
  const seal = (rows: readonly DueAction[]): SealedChange[] => {
    const judged = rows.map(row => judge(context, claimer, row, claimedAt))
    due = rows.length
    jobs = judged.flatMap(({ job }) => (job ? [job] : []))
    changes = judged.flatMap(({ change }) => (change ? [change] : []))
    return changes
  }
  await context.store.write('all', writer => claimDue(writer, claimer.limit, seal))
  announce(context, changes.map(ok))
  return { jobs, more: due === claimer.limit }
}

interface Judged {
  job: ClaimedJob | null
  change: SealedChange | null
}

function judge(context: Context, claimer: Claimer, row: DueAction, claimedAt: number): Judged {
  const runnable = whatToRun(row, claimer.registry)
  if ('code' in runnable) {
    const decided = refuse(claimer.worker, runnable.code, runnable.message)(row)
    return { job: null, change: decided.ok ? sealChange(row, decided.value) : null }
  }
  const { actuator, kind, proposal } = runnable
  const idempotency_key = idempotencyKey(row.tenant_id, row.action_id)
  const decided = claim({
    worker: claimer.worker,
    token: row.token,
    lease_ms: context.config.lease_ms,
    idempotency_key,
    actuator: { name: actuator.name, kind, idempotency: actuator.idempotency },
    key_honoured: actuator.idempotency === 'key_honoured',
  })(row)
  if (!decided.ok) return { job: null, change: null }
  context.events.claimed(row.waited_ms)
  const { action_id, tenant_id, token } = row
  const attempt = decided.value.job?.attempt ?? 0
  const job = {
    action_id,
    tenant_id,
    token,
    attempt,
    idempotency_key,
    actuator,
    kind,
    proposal,
    claimed_at: claimedAt,
  }
  return { job, change: sealChange(row, decided.value) }
}

type Runnable = { actuator: Actuator; kind: string; proposal: Proposal } | { code: string; message: string }

/** What is about to be executed, if it still is what was decided. */
function whatToRun(row: DueAction, registry: Registry): Runnable {
  const { proposal, verdict, actuator: registered, target_system: name } = row
  if (proposal === null || verdict === null)
    return { code: 'payload_erased', message: 'the proposal was erased' }
  if (documentHash('proposal', proposal) !== row.proposal_hash) {
    return {
      code: 'proposal_digest_mismatch',
      message: 'the stored proposal is not the one that was decided',
    }
  }
  if (!registered)
    return { code: 'actuator_not_registered', message: `no actuator named ${name} is registered any more` }
  const decided = (JSON.parse(verdict) as RecordedVerdict).actuator
  if (decided?.kind !== registered.kind) {
    return { code: 'actuator_binding_mismatch', message: `${name} is not of the kind it was decided for` }
  }
  const actuator = registry({ name, kind: registered.kind, settings: registered.settings })
  if (!actuator)
    return { code: 'actuator_not_available', message: `no worker module offers the actuator ${name}` }
  if (row.job?.maybe_executed && actuator.idempotency !== 'key_honoured') {
    return {
      code: 'repeat_not_safe',
      message: `an earlier attempt may have happened and ${name} does not honour the key`,
    }
  }
  return { actuator, kind: registered.kind, proposal: JSON.parse(proposal) as Proposal }
}

/** Stable over all attempts of an action, derived from tenant and action alone, shared by no other action. */
function idempotencyKey(tenantId: string, actionId: string): string {
  return sha256(`gate/v1\n${tenantId}\n${actionId}`).toString('base64url')
}
