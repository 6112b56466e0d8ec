import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { monotonicMs } from '../clock.ts'
import { createFailingSystems } from './failing-systems.ts'
import { createProcessMetrics } from './process-metrics.ts'
import { createSweepMetrics } from './sweep-metrics.ts'

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const ofTheGate = [1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 5e-3, 0.02]
const ofWaiting = [...seconds, 60, 300, 900, 3_600]
const ofPeople = [10, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 259_200, 604_800]

const approvalOutcomes = ['approved', 'rejected', 'cancelled', 'expired', 'superseded']
const attemptOutcomes = ['ok', 'accepted', 'failed', 'retry', 'busy', 'unknown']
const messageOutcomes = ['delivered', 'retry', 'failed', 'gone']
const limits = ['requests', 'batches', 'authentications', 'log_ins', 'log_in_failures']

export type Metrics = ReturnType<typeof createMetrics>

/**
 * Creates every metric of a process (specification.md#operations). Each label has few values, all known
 * beforehand. Counters with alerts begin at zero, so that their first increase is visible. Numbers of a sweep are
 * reported for at most `freshMs`.
 */
export function createMetrics(freshMs: number) {
  const registry = new Registry()
  const shared = { registers: [registry] }
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `action_gate_${name}`, help, labelNames, ...shared })
  const histogram = (name: string, help: string, labelNames: string[] = [], buckets = seconds) =>
    new Histogram({ name: `action_gate_${name}`, help, labelNames, buckets, ...shared })

  collectDefaultMetrics({ register: registry, prefix: 'action_gate_', eventLoopMonitoringPrecision: 20 })
  const requests = histogram('request_seconds', 'HTTP requests by route template, method and status.', [
    'route',
    'method',
    'status',
  ])
  const rateLimited = counter('rate_limited_total', 'Requests refused by a limit.', ['limit'])
  const decisions = counter('decisions_total', 'Verdicts of the gate.', ['decision'])
  const deciding = histogram('decision_seconds', 'The gate alone, for one verdict.', [], ofTheGate)
  const approvals = counter('approvals_total', 'Held actions by how they ended.', ['outcome'])
  const held = histogram('approval_held_seconds', 'How long held actions waited.', ['outcome'], ofPeople)
  const attempts = counter('attempts_total', 'Execution attempts by outcome class.', ['outcome'])
  const executions = histogram('execution_seconds', 'Calls of actuators.', ['kind'])
  const queueWait = histogram('queue_wait_seconds', 'From due to claimed.', [], ofWaiting)
  const evidence = createEvidenceMetrics(registry)
  const reconciled = counter('reconciled_total', 'Rounds of reconcile by the status they led to.', ['status'])
  const callbacks = counter('callbacks_total', 'Callbacks of downstreams by what became of them.', ['result'])
  const wakeUpsLost = counter(
    'wake_ups_lost_total',
    'Wake-ups that could not be sent; the sweeper makes up for them.',
  )
  const queueErrors = counter('queue_errors_total', 'Errors of the connection to the queue.')
  const errors = counter('errors_total', 'Unexpected errors by where they happened.', ['where'])
  const sweeps = counter('sweeps_total', 'Sweeps by whether this process did the work.', ['role'])
  for (const outcome of approvalOutcomes) approvals.inc({ outcome }, 0)
  for (const outcome of attemptOutcomes) attempts.inc({ outcome }, 0)
  for (const limit of limits) rateLimited.inc({ limit }, 0)

  return {
    registry,
    requests,
    rateLimited,
    decisions,
    deciding,
    approvals,
    held,
    attempts,
    executions,
    queueWait,
    ...createProofMetrics(registry),
    ...evidence,
    reconciled,
    callbacks,
    wakeUpsLost,
    queueErrors,
    errors,
    sweeps,
    ...createLogMetrics(registry),
    ...createMessageMetrics(registry),
    ...createFailingSystems(registry, monotonicMs),
    ...createSweepMetrics(registry, freshMs, monotonicMs),
    ...createProcessMetrics(registry),
  }
}

function createProofMetrics(registry: Registry) {
  const shared = { registers: [registry] }
  return {
    proofs: new Histogram({
      name: 'action_gate_proof_seconds',
      help: 'Proofs and replays of policies, without waiting for a turn.',
      buckets: seconds,
      ...shared,
    }),
    proofSlices: new Histogram({
      name: 'action_gate_proof_slice_seconds',
      help: 'The longest slice of each proof.',
      buckets: seconds,
      ...shared,
    }),
    proofsUnderWay: new Gauge({
      name: 'action_gate_proofs_under_way',
      help: 'Proofs and replays of policies that are begun and not ended.',
      ...shared,
    }),
  }
}

function createEvidenceMetrics(registry: Registry) {
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `action_gate_${name}`, help, labelNames, registers: [registry] })
  return {
    leaseExpiries: counter('lease_expiries_total', 'Leases that ran out before their worker reported.'),
    fenced: counter(
      'fenced_writes_rejected_total',
      'Outcomes refused because their token was no longer current.',
    ),
    lateResults: counter('late_results_total', 'Results that came after their lease.', ['settled']),
    contradictions: counter(
      'late_contradictions_total',
      'Late results that say that an action was executed which is recorded as failed.',
    ),
  }
}

/** Creates the metrics of the tenants' logs (specification.md#audit-in-postgres). */
function createLogMetrics(registry: Registry) {
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `action_gate_${name}`, help, labelNames, registers: [registry] })
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `action_gate_${name}`, help, registers: [registry] })
  return {
    checkpoints: counter('log_checkpoints_total', 'Checkpoints of logs that were signed.'),
    integrated: counter('log_events_total', 'Events that were given their place in the log of a tenant.'),
    rolledBackLogs: counter(
      'log_rollbacks_total',
      'Logs that do not continue what was signed, or are not what their events come to: somebody restored a backup or rewrote tables.',
    ),
    logsDamaged: counter(
      'logs_damaged_total',
      'Logs whose subtrees do not make up their root or whose next events are gone: somebody changed rows; nothing is appended.',
    ),
    guardsMissing: gauge(
      'tenant_guards_missing',
      'Triggers, rights and row-level security that do not protect history, at the start of the process.',
    ),
    witnessed: counter('log_witnessed_total', 'Checkpoints sent to the witness.', ['outcome']),
  }
}

function createMessageMetrics(registry: Registry) {
  const messages = new Counter({
    name: 'action_gate_webhook_attempts_total',
    help: 'Attempts to send a message by what came of them.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of messageOutcomes) messages.inc({ outcome }, 0)
  const messageWait = new Histogram({
    name: 'action_gate_webhook_wait_seconds',
    help: 'From due to the first attempt.',
    buckets: ofWaiting,
    registers: [registry],
  })
  return { messages, messageWait }
}
