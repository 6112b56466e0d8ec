import { limits } from '../../../../shared/contract/base/limits.ts'
import type {
  QueueCalls,
  QueueSample,
  QueueSnapshot,
} from '../../../../shared/contract/service-state-schema.ts'
import { counted, formatDuration } from '../../lib/format.ts'

/**
 * The severity of a finding. `bad`: nothing executes. `warn`: jobs are slow or stopped. `person`: a person must
 * act. `info`: nobody must act.
 */
export type Weight = 'bad' | 'warn' | 'person' | 'info'

export type FindingCode =
  | 'no_worker'
  | 'all_stopped'
  | 'actuator_hangs'
  | 'actions_fail'
  | 'fleet_too_small'
  | 'nothing_taken'
  | 'fewer_workers'
  | 'leases_expired'
  | 'doorbell_down'
  | 'some_stopped'
  | 'log_lags'
  | 'contradicted'
  | 'needs_operator'
  | 'secrets_lack'
  | 'looked_up'
  | 'retries_wait'
  | 'people_wait'

export interface Finding {
  code: FindingCode
  weight: Weight
  title: string
  why: string
  next: string
}

export interface Diagnosis {
  weight: Weight | 'good'
  headline: string
  /** Findings in order of severity, beginning with the most severe. */
  findings: Finding[]
}

export interface Known {
  snapshot: QueueSnapshot
  samples: readonly QueueSample[]
}

/** The share of its deadline after which a call counts as long, and the share from which a single call does. */
const longShare = 0.25
const longShareAlone = 0.5
/** The number of waiting retries that causes a warning, because so many are unlikely to be chance. */
const manyRetries = 5
const logLagMs = 60_000
const signingLagMs = 10 * 60_000

const weights: readonly Weight[] = ['bad', 'warn', 'person', 'info']

/** Explains why actions execute or do not. The function is pure, so that tests need no running service. */
export function diagnose(known: Known): Diagnosis {
  const findings = rules
    .flatMap(rule => rule(known) ?? [])
    .sort((one, other) => weights.indexOf(one.weight) - weights.indexOf(other.weight))
  const [first] = findings
  if (!first || first.weight === 'info') return { ...calm(known), findings }
  return { weight: first.weight, headline: first.title, findings }
}

/** Returns an age in milliseconds by the database's clock, because the database set all times of the snapshot. */
export function ageMs(snapshot: Pick<QueueSnapshot, 'at'>, at: string | null): number {
  return at === null ? 0 : Math.max(0, Date.parse(snapshot.at) - Date.parse(at))
}

type Rule = (known: Known) => Finding | null

const rules: readonly Rule[] = [
  noWorker,
  allStopped,
  actuatorHangs,
  actionsFail,
  fleetTooSmall,
  nothingTaken,
  fewerWorkers,
  leasesExpired,
  doorbellDown,
  someStopped,
  logLags,
  contradicted,
  needsOperator,
  secretsLack,
  lookedUp,
  retriesWait,
  peopleWait,
]

function noWorker({ snapshot }: Known): Finding | null {
  if (alive(snapshot) > 0) return null
  const { due, later, leased } = snapshot.jobs
  const waiting = due + later + leased
  return {
    code: 'no_worker',
    weight: 'bad',
    title: 'No worker is alive, so nothing executes',
    why:
      waiting === 0
        ? 'Nothing is queued right now, but the next allowed action will wait.'
        : `${counted(waiting, 'job')} ${waiting === 1 ? 'waits' : 'wait'} in Postgres. Nothing is lost.`,
    next: 'Start a worker (npm run start:worker) with the settings of the service. If one runs, look in its log: it has lost the database.',
  }
}

function allStopped({ snapshot }: Known): Finding | null {
  const { due, stopped, leased } = snapshot.jobs
  if (stopped === 0 || stopped < due) return null
  return {
    code: 'all_stopped',
    weight: leased > 0 ? 'warn' : 'bad',
    title: 'Everything that is due is paused or frozen',
    why: `${counted(stopped, 'due job')} ${stopped === 1 ? 'is' : 'are'} kept back by ${stops(snapshot)}.`,
    next: 'Read the reasons under "Freezes and pauses". Where one is over, lift it on the page of its tenant: what waited runs at once.',
  }
}

function someStopped({ snapshot }: Known): Finding | null {
  const { due, stopped } = snapshot.jobs
  if (stopped === 0 || stopped >= due) return null
  return {
    code: 'some_stopped',
    weight: 'warn',
    title: `${counted(stopped, 'due job')} ${stopped === 1 ? 'is' : 'are'} paused or frozen`,
    why: `Kept back by ${stops(snapshot)}; other jobs run.`,
    next: 'Where the reason is over, lift the freeze or the pause on the page of its tenant.',
  }
}

function stops({ freezes }: QueueSnapshot): string {
  return freezes.length === 1 ? 'a freeze or a pause' : `${freezes.length} freezes and pauses`
}

/**
 * Reports a slow system before its calls time out: once half of its calls have used 25 % of their deadline, or a
 * single call has used 50 %.
 */
function actuatorHangs({ snapshot }: Known): Finding | null {
  const long = snapshot.calls.filter(
    calls => calls.deadline_used >= (calls.count > 1 ? longShare : longShareAlone),
  )
  const [worst, ...others] = long
  if (!worst) return null
  const { target_system: system } = worst
  return {
    code: 'actuator_hangs',
    weight: snapshot.jobs.overdue > snapshot.jobs.stopped ? 'bad' : 'warn',
    title: callsAt(worst),
    why: [
      `The longest has run for ${formatDuration(worst.oldest_ms)}.`,
      ...others.slice(0, shownMax).map(calls => `${callsAt(calls)}.`),
    ].join(' '),
    next: `Look at ${system} itself. To keep its jobs off the workers meanwhile, pause the system on the page of its tenant; jobs wait and nothing is lost.`,
  }
}

/** Returns a text such as "25 calls to crm at 35 % of their time". */
function callsAt(calls: QueueCalls): string {
  const share = Math.round(calls.deadline_used * 100)
  return `${counted(calls.count, 'call')} to ${calls.target_system} at ${share} % of ${calls.count === 1 ? 'its' : 'their'} time`
}

/** The largest number of systems or error codes that a sentence lists. */
const shownMax = 3

function actionsFail({ snapshot }: Known): Finding | null {
  const { lately, inHour } = failed(snapshot)
  if (inHour === 0) return null
  const where = snapshot.failures
    .slice(0, shownMax)
    .map(({ target_system, code, last_hour }) => `${target_system}: ${code} (${last_hour})`)
    .join(', ')
  return {
    code: 'actions_fail',
    weight: lately > 0 ? 'warn' : 'info',
    title:
      lately > 0
        ? `${counted(lately, 'action')} failed in the last 5 minutes`
        : `${counted(inHour, 'action')} failed in the last hour`,
    why: `In the last hour ${inHour}${inHour < limits.queue_looked_max ? '' : ' or more'}, by system and error: ${where}${snapshot.failures.length > shownMax ? ' and others' : ''}.`,
    next: 'They had no effect and are not tried again. Open one to read what its system answered.',
  }
}

function failed({ failures }: QueueSnapshot): { lately: number; inHour: number } {
  const sum = (name: 'last_5_minutes' | 'last_hour') =>
    failures.reduce((total, failure) => total + failure[name], 0)
  return { lately: sum('last_5_minutes'), inHour: sum('last_hour') }
}

function overdueMs({ snapshot }: Known): number {
  const { overdue, stopped } = snapshot.jobs
  // Frozen and paused jobs can be overdue without any fault.
  const late = overdue > stopped
  return late ? ageMs(snapshot, snapshot.oldest_due_at) : 0
}

function fleetTooSmall(known: Known): Finding | null {
  const { snapshot } = known
  const late = overdueMs(known)
  if (late === 0 || alive(snapshot) === 0 || idle(snapshot) > 0) return null
  return {
    code: 'fleet_too_small',
    weight: 'warn',
    title: `Workers are busy and the oldest due job waits for ${formatDuration(late)}`,
    why: `${counted(snapshot.jobs.overdue, 'job')} overdue; every one of ${counted(alive(snapshot), 'worker')} holds leases (${counted(snapshot.jobs.leased, 'call')} under way).`,
    next: 'Start more workers, or raise SERVICE_WORKER_CONCURRENCY where they have room. Check first that no actuator has become slow.',
  }
}

function nothingTaken(known: Known): Finding | null {
  const { snapshot } = known
  const late = overdueMs(known)
  if (late === 0 || idle(snapshot) === 0) return null
  return {
    code: 'nothing_taken',
    weight: 'warn',
    title: `Due jobs wait for ${formatDuration(late)} although workers are idle`,
    why: `${counted(idle(snapshot), 'worker')} without a lease, ${counted(snapshot.jobs.overdue, 'job')} overdue.`,
    next: 'A tenant or an actuator may be at its limit of calls under way (SERVICE_TENANT_IN_FLIGHT_MAX, SERVICE_ACTUATOR_IN_FLIGHT_MAX). Otherwise look in the logs of the idle workers.',
  }
}

function fewerWorkers(known: Known): Finding | null {
  const { snapshot, samples } = known
  const now = alive(snapshot)
  const most = Math.max(0, ...samples.map(({ workers }) => workers))
  if (now === 0 || now >= most) return null
  return {
    code: 'fewer_workers',
    weight: overdueMs(known) > 0 ? 'warn' : 'info',
    title: `${counted(now, 'worker')} alive; there were ${most} within the last hour`,
    why: overdueMs(known) > 0 ? 'Jobs are overdue meanwhile.' : 'The rest keeps up.',
    next: 'Nothing, if you took them away. Otherwise find out why they stopped.',
  }
}

function leasesExpired({ snapshot }: Known): Finding | null {
  const expired = snapshot.jobs.lease_expired
  if (expired === 0) return null
  return {
    code: 'leases_expired',
    weight: 'warn',
    title: `${counted(expired, 'lease')} ran out`,
    why: 'A worker died or lost the database in the middle of a call.',
    next:
      alive(snapshot) === 0
        ? 'They are taken over as soon as a worker runs.'
        : 'Nothing: another worker takes them over within seconds. Where a call may have had an effect, its outcome is looked up first.',
  }
}

function doorbellDown({ snapshot }: Known): Finding | null {
  if (snapshot.doorbell) return null
  return {
    code: 'doorbell_down',
    weight: 'warn',
    title: 'The doorbell (Redis) does not answer: slower, not lost',
    why: 'Workers are not woken; they find due jobs in Postgres by themselves at every sweep.',
    next: 'Bring Redis back. Nothing has to be repeated.',
  }
}

function logLags({ snapshot }: Known): Finding | null {
  const { audit_log: log } = snapshot
  const waits = ageMs(snapshot, log.oldest_waiting_at)
  const unsigned = log.unsigned_logs > 0 && ageMs(snapshot, log.last_signed_at) > signingLagMs
  if (waits < logLagMs && !(unsigned && log.signing_keys > 0)) return null
  return {
    code: 'log_lags',
    weight: 'warn',
    title:
      waits >= logLagMs
        ? `The audit log lags by ${formatDuration(waits)}`
        : 'Checkpoints are not being signed',
    why: 'Actions execute all the same, and every change is recorded; exports say "pending" until the log has caught up.',
    next: 'Look in the logs of the workers for the sequencer and the signer; see also action_gate_log_rollbacks_total.',
  }
}

function contradicted({ snapshot }: Known): Finding | null {
  const { count, latest } = snapshot.contradicted
  const [newest] = latest
  if (!newest) return null
  return {
    code: 'contradicted',
    weight: 'person',
    title: `${counted(count, 'action')} recorded as failed ${count === 1 ? 'was' : 'were'} executed after all`,
    why: `A result that came late says so; the newest is ${newest.action_id} of ${newest.tenant_id}. What is recorded as failed is not changed any more.`,
    next: 'Look at the downstream, and undo or keep what it did. Then find out what called it failed too early: a look-up, a not_after that the downstream does not enforce, or a person.',
  }
}

function needsOperator({ snapshot }: Known): Finding | null {
  const count = snapshot.jobs.needs_operator
  if (count === 0) return null
  return {
    code: 'needs_operator',
    weight: 'person',
    title: `${counted(count, 'unknown outcome')} ${count === 1 ? 'needs' : 'need'} a person`,
    why: 'It may or may not have happened, and the service cannot find out. It is never tried again by itself.',
    next: 'Open it, find out at the system it went to, and record what became of it.',
  }
}

/** Error codes of jobs that wait for a person to store or confirm a secret, because no retry can succeed. */
const secretCodes: Readonly<Record<string, string>> = {
  secret_missing: 'is missing',
  secret_unconfirmed: 'is bound to other addresses',
  secret_unreadable: 'cannot be opened',
}

function secretsLack({ snapshot }: Known): Finding | null {
  const lacking = snapshot.retries.filter(({ code }) => Object.hasOwn(secretCodes, code))
  const [first] = lacking
  if (!first) return null
  const count = lacking.reduce((total, retry) => total + retry.count, 0)
  return {
    code: 'secrets_lack',
    weight: 'person',
    title: `${counted(count, 'job')} ${count === 1 ? 'waits' : 'wait'} for a secret`,
    why: `${lacking
      .slice(0, shownMax)
      .map(({ target_system, code, count: jobs }) => `${target_system}: it ${secretCodes[code]} (${jobs})`)
      .join(', ')}. Only jobs of these systems wait, and nothing was sent.`,
    next: 'Look at the secrets of the tenant: write what is missing, or confirm the addresses. A variable of the workers is set where they run.',
  }
}

function lookedUp({ snapshot }: Known): Finding | null {
  const count = snapshot.jobs.unknown
  if (count === 0) return null
  return {
    code: 'looked_up',
    weight: 'info',
    title: `${counted(count, 'unknown outcome')} ${count === 1 ? 'is' : 'are'} being looked up`,
    why: 'The service asks the system itself, at growing intervals for up to three days.',
    next: 'Nothing, unless you know the outcome already.',
  }
}

function retriesWait({ snapshot }: Known): Finding | null {
  const count = snapshot.jobs.later
  if (count === 0) return null
  const retries = snapshot.retries.reduce((total, { count }) => total + count, 0)
  const where = snapshot.retries
    .slice(0, shownMax)
    .map(({ target_system, code, count }) => `${target_system}: ${code} (${count})`)
    .join(', ')
  return {
    code: 'retries_wait',
    weight: retries >= manyRetries ? 'warn' : 'info',
    title: `${counted(count, 'job')} ${count === 1 ? 'waits' : 'wait'} for the next try`,
    why: where === '' ? 'Each is due at a later time.' : `The last tries ended with an error: ${where}.`,
    next: 'Nothing, unless the system stays away. Under "Jobs" you see the error of the last try.',
  }
}

function peopleWait({ snapshot }: Known): Finding | null {
  const { held, oldest_at } = snapshot.approvals
  if (held === 0) return null
  return {
    code: 'people_wait',
    weight: 'info',
    title: `${counted(held, 'action')} ${held === 1 ? 'waits' : 'wait'} for a person's approval`,
    why: `The oldest for ${formatDuration(ageMs(snapshot, oldest_at))}. They execute only when somebody approves them.`,
    next: 'Remind the approvers if it takes too long.',
  }
}

/** Returns the headline for a queue that needs nobody; it is `good` only without a failure in the last hour. */
function calm({ snapshot }: Known): Pick<Diagnosis, 'weight' | 'headline'> {
  const { due, leased } = snapshot.jobs
  const { inHour } = failed(snapshot)
  const now = due + leased === 0 ? 'Nothing is waiting to be executed' : 'Actions are executing'
  if (inHour === 0) return { weight: 'good', headline: now }
  return { weight: 'info', headline: `${now}; ${counted(inHour, 'action')} failed in the last hour` }
}

function alive({ workers }: QueueSnapshot): number {
  return workers.filter(worker => worker.alive).length
}

function idle({ workers }: QueueSnapshot): number {
  return workers.filter(worker => worker.alive && worker.leases === 0).length
}
