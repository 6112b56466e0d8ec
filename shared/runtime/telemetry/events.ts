import type { Author } from '../../contract/configuration/tenant.ts'
import type { Failpoint } from '../failpoint.ts'
import type { Logger } from './logger.ts'
import { createMetrics, type Metrics } from './metrics.ts'

export interface About {
  action_id?: string
  request_id?: string
  trace_id?: string
  span_id?: string
}

export interface Attempt {
  tenant_id: string
  system: string
  kind: string
  attempt: number
  outcome: string
  tookMs: number
}

/** A call that a system has only accepted counts as a success here, because its outcome is polled later. */
const successes: ReadonlySet<string> = new Set(['ok', 'accepted'])

/**
 * Reports the business events of the service. Each function increments a counter; important ones also log a line.
 */
export type Events = ReturnType<typeof createEvents>

export function createEvents(log: Logger, freshMs: number) {
  const { registry, ...metrics } = createMetrics(freshMs)
  return {
    ...adminKeyEvents(log),
    ...operatorEvents(log),
    registry,
    watch: metrics.watch,
    measured: metrics.measured,
    requestAnswered: (route: string, method: string, status: number, tookMs: number) =>
      metrics.requests.observe({ route, method, status }, tookMs / 1000),
    rateLimited: (limit: string) => metrics.rateLimited.inc({ limit }),
    signInFailed: (issuer: string, failure: { reason: string; detail: string }) =>
      log.warn({ issuer, ...failure }, 'sign-in at an issuer failed'),
    gateAsked: (tookMs: number) => metrics.deciding.observe(tookMs / 1000),
    decided: (decision: string) => metrics.decisions.inc({ decision }),
    approvalEnded: (outcome: string, heldMs: number | null) => {
      metrics.approvals.inc({ outcome })
      if (heldMs !== null) metrics.held.observe({ outcome }, Math.max(0, heldMs) / 1000)
    },
    claimed: (waitedMs: number) => metrics.queueWait.observe(Math.max(0, waitedMs) / 1000),
    attempted: (about: About, { tenant_id, system, kind, attempt, outcome, tookMs }: Attempt) => {
      metrics.attempts.inc({ outcome })
      metrics.systemCalled(tenant_id, system, successes.has(outcome) ? 'succeeded' : 'failed')
      metrics.executions.observe({ kind }, tookMs / 1000)
      log.info({ kind, attempt, outcome, ms: Math.round(tookMs * 10) / 10, ...about }, 'attempt')
    },
    ...evidenceEvents(log, metrics),
    ...logEvents(log, metrics),
    ...proofEvents(log, metrics),
    reconciled: (status: string) => metrics.reconciled.inc({ status }),
    calledBack: (result: string) => metrics.callbacks.inc({ result }),
    wakeUpLost: (reason: string, rings = 1) => {
      metrics.wakeUpsLost.inc(rings)
      log.warn({ reason, rings }, 'wake-up not sent; the sweeper will find the work')
    },
    queueFailed: (error: Error) => {
      metrics.queueErrors.inc()
      log.debug({ err: error }, 'queue connection')
    },
    /** `waitedMs` is null after the first attempt. `status` is null if no response came. */
    messageSent: (
      { waitedMs, ...message }: { tenant_id: string; webhook_id: string; waitedMs: number | null },
      outcome: string,
      status: number | null,
    ) => {
      metrics.messages.inc({ outcome })
      if (outcome !== 'delivered') log.info({ ...message, outcome, status }, 'message not delivered')
      if (waitedMs !== null) metrics.messageWait.observe(Math.max(0, waitedMs) / 1000)
    },
    webhookDisabled: (webhook: { tenant_id: string; webhook_id: string }, reason: string) =>
      log.warn({ ...webhook, reason }, 'webhook disabled'),
    swept: (role: 'leader' | 'standby') => metrics.sweeps.inc({ role }),
    failpointReached: ([name, failure]: Failpoint) => log.warn({ failpoint: name, failure }, 'failpoint'),
    failed: (where: string, error: unknown, about: About = {}) => {
      metrics.errors.inc({ where })
      log.error({ ...about, where, err: error }, 'unexpected error')
    },
  }
}

function logEvents(
  log: Logger,
  metrics: Pick<
    Metrics,
    'integrated' | 'checkpoints' | 'rolledBackLogs' | 'logsDamaged' | 'witnessed' | 'guardsMissing'
  >,
) {
  return {
    logIntegrated: (events: number) => metrics.integrated.inc(events),
    checkpointsSigned: (count: number) => metrics.checkpoints.inc(count),
    /** `tenantId` is null if the database no longer contains the log. */
    logRolledBack: (tenantId: string | null, problem: string, logId?: string) => {
      metrics.rolledBackLogs.inc()
      log.error(
        { tenant_id: tenantId, log_id: logId, problem },
        'log rolled back: nothing more of it is signed',
      )
    },
    logDamaged: (tenantId: string) => {
      metrics.logsDamaged.inc()
      log.error(
        { tenant_id: tenantId },
        'log damaged: its subtrees do not make up its root, or its next events are gone or already in it; nothing is appended',
      )
    },
    witnessed: (outcome: string) => metrics.witnessed.inc({ outcome }),
    guardsChecked: (problems: readonly string[]) => {
      metrics.guardsMissing.set(problems.length)
      if (problems.length > 0) log.error({ problems }, 'history is not protected as it should be')
    },
  }
}

function proofEvents(
  log: Logger,
  metrics: Pick<Metrics, 'proofs' | 'proofSlices' | 'proofsUnderWay' | 'errors'>,
) {
  return {
    proved: (tookMs: number, longestSliceMs: number) => {
      metrics.proofs.observe(tookMs / 1000)
      metrics.proofSlices.observe(longestSliceMs / 1000)
    },
    proving: (more: 1 | -1) => metrics.proofsUnderWay.inc(more),
    proofNotConfirmed: (names: readonly string[]) => {
      metrics.errors.inc({ where: 'proof' })
      log.error({ outcomes: names }, 'the gate did not confirm what a proof found')
    },
  }
}

/**
 * These log lines are the only record of admin keys, because admin keys belong to no tenant and so to no audit
 * log. `by` is the admin key that made the request, or the start-up.
 */
function adminKeyEvents(log: Logger) {
  return {
    adminKeyChanged: (
      change: 'minted' | 'revoked',
      key: { key_id: string; name: string; scope: string },
      by: Author,
    ) => log.warn({ ...key, ...actorOf(by), change }, `admin key ${change}`),
  }
}

function operatorEvents(log: Logger) {
  return {
    operatorChanged: (
      change: 'invited' | 'joined' | 'changed' | 'removed',
      { operator_id, label, ...more }: { operator_id: string; label: string; role?: string },
      by: Author,
    ) => {
      const { role } = more
      log.warn({ operator_id, label, role, ...actorOf(by), change }, `operator ${change}`)
    },
    operatorSignedIn: (who: { operator_id: string; issuer: string; subject: string }) =>
      log.info(who, 'operator signed in'),
    operatorUnknown: (who: { issuer: string; subject: string }) =>
      log.warn(who, 'sign-in of somebody who is no operator refused'),
  }
}

function actorOf(by: Author): { by: string; issuer?: string; subject?: string } {
  if ('operator_id' in by) {
    const { issuer, subject } = by.identity
    return { by: by.operator_id, issuer, subject }
  }
  if ('key_id' in by) return { by: by.key_id }
  return { by: 'account_id' in by ? by.account_id : by.source }
}

function evidenceEvents(
  log: Logger,
  metrics: Pick<Metrics, 'leaseExpiries' | 'fenced' | 'lateResults' | 'contradictions'>,
) {
  return {
    leaseExpired: (actionId: string) => {
      metrics.leaseExpiries.inc()
      log.warn({ action_id: actionId }, 'lease expired')
    },
    escalated: (actionId: string) =>
      log.info({ action_id: actionId }, 'nobody decided: another group is asked'),
    writeFenced: (about: About) => {
      metrics.fenced.inc()
      log.warn(about, 'outcome refused: the fencing token is not current')
    },
    lateResult: (about: About, settled: boolean) => {
      metrics.lateResults.inc({ settled: String(settled) })
      log.warn({ ...about, settled }, 'a result came after its lease: it is kept as evidence')
    },
    contradicted: (about: About) => {
      metrics.contradictions.inc()
      log.error(about, 'recorded as failed, and a result that came late says that it was executed')
    },
  }
}
