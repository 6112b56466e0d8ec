import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Every metric of a process (contract section 14), in the order in which they are told. */
export function createMetrics() {
  const registry = new Registry()
  const shared = { registers: [registry] }
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `action_gate_${name}`, help, labelNames, ...shared })
  const histogram = (name: string, help: string, labelNames: string[] = []) =>
    new Histogram({ name: `action_gate_${name}`, help, labelNames, buckets: seconds, ...shared })

  collectDefaultMetrics({ register: registry, prefix: 'action_gate_', eventLoopMonitoringPrecision: 20 })
  const requests = histogram('request_seconds', 'HTTP requests by route template, method and status.', [
    'route',
    'method',
    'status',
  ])
  const decisions = counter('decisions_total', 'Verdicts of the gate.', ['decision'])
  const approvals = counter('approvals_total', 'Held actions by how they ended.', ['outcome'])
  const attempts = counter('attempts_total', 'Execution attempts by outcome class.', ['outcome'])
  const executions = histogram('execution_seconds', 'Calls of actuators.', ['kind'])
  const queueWait = histogram('queue_wait_seconds', 'From due to claimed.')
  const proofs = histogram('proof_seconds', 'Proofs about policies, without waiting for a turn.')
  const proofSlices = histogram('proof_slice_seconds', 'The longest slice of each proof.')
  const proofsUnderWay = new Gauge({
    name: 'action_gate_proofs_under_way',
    help: 'Proofs about policies that are begun and not ended.',
    ...shared,
  })
  const leaseExpiries = counter('lease_expiries_total', 'Leases that ran out before their worker reported.')
  const fenced = counter(
    'fenced_writes_rejected_total',
    'Outcomes refused because their token was no longer current.',
  )
  const lateResults = counter('late_results_total', 'Results that came after their lease.', ['settled'])
  const reconciled = counter('reconciled_total', 'Rounds of reconcile by the status they led to.', ['status'])
  const ringsLost = counter(
    'rings_lost_total',
    'Wake-ups that could not be sent; the sweeper makes up for them.',
  )
  const queueErrors = counter('queue_errors_total', 'Errors of the connection to the queue.')
  const errors = counter('errors_total', 'Unexpected errors by where they happened.', ['where'])
  const sweeps = counter('sweeps_total', 'Sweeps by whether this process did the work.', ['role'])
  const jobs = new Gauge({
    name: 'action_gate_jobs',
    help: 'Unsettled jobs by state, at the last sweep.',
    labelNames: ['state'],
    ...shared,
  })

  return {
    registry,
    requests,
    decisions,
    approvals,
    attempts,
    executions,
    queueWait,
    proofs,
    proofSlices,
    proofsUnderWay,
    leaseExpiries,
    fenced,
    lateResults,
    reconciled,
    ringsLost,
    queueErrors,
    errors,
    sweeps,
    jobs,
    ...createLogMetrics(registry),
  }
}

/** Of the logs of tenants (audit definitions section 6). */
function createLogMetrics(registry: Registry) {
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `action_gate_${name}`, help, labelNames, registers: [registry] })
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `action_gate_${name}`, help, registers: [registry] })
  return {
    integrated: counter('log_events_total', 'Events that were given their place in the log of a tenant.'),
    logsSetBack: counter(
      'logs_set_back_total',
      'Logs that do not continue what was signed: somebody restored a backup or rewrote tables.',
    ),
    logsDamaged: counter(
      'logs_damaged_total',
      'Logs whose subtrees do not make up their root or whose next events are gone: somebody changed rows; nothing is appended.',
    ),
    wallsDown: gauge(
      'walls_down',
      'Triggers, rights and row-level security that do not protect history, at the start of the process.',
    ),
    witnessed: counter('log_witnessed_total', 'Checkpoints sent to the witness.', ['outcome']),
    logWaiting: gauge('log_waiting', 'Changes that wait for their place in a log, at the last sweep.'),
    logsUnsigned: gauge(
      'logs_unsigned',
      'Logs that have grown since their last signed checkpoint, at the last sweep.',
    ),
    logLag: gauge(
      'log_lag_seconds',
      'Age of the oldest change that waits for its place in a log, at the last sweep.',
    ),
  }
}
