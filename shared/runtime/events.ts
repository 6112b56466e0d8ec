import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Failpoint } from './failpoint.ts'
import type { Logger } from './logger.ts'

/** What the service tells about itself: one function per business event, each a counter and, where it matters, a log line. */
export type Events = ReturnType<typeof createEvents>

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createEvents(log: Logger) {
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
    requestAnswered: (route: string, method: string, status: number, tookMs: number) =>
      requests.observe({ route, method, status }, tookMs / 1000),
    decided: (decision: string) => decisions.inc({ decision }),
    approvalEnded: (outcome: string) => approvals.inc({ outcome }),
    claimed: (waitedMs: number) => queueWait.observe(Math.max(0, waitedMs) / 1000),
    attempted: (kind: string, outcome: string, tookMs: number) => {
      attempts.inc({ outcome })
      executions.observe({ kind }, tookMs / 1000)
    },
    leaseExpired: (actionId: string) => {
      leaseExpiries.inc()
      log.warn({ action_id: actionId }, 'lease expired')
    },
    writeFenced: (actionId: string) => {
      fenced.inc()
      log.warn({ action_id: actionId }, 'outcome refused: the fencing token is not current')
    },
    lateResult: (actionId: string, settled: boolean) => {
      lateResults.inc({ settled: String(settled) })
      log.warn({ action_id: actionId, settled }, 'a result came after its lease: it is kept as evidence')
    },
    reconciled: (status: string) => reconciled.inc({ status }),
    ringLost: (reason: string) => {
      ringsLost.inc()
      log.warn({ reason }, 'wake-up not sent; the sweeper will find the work')
    },
    queueFailed: (error: Error) => {
      queueErrors.inc()
      log.debug({ err: error }, 'queue connection')
    },
    swept: (role: 'leader' | 'standby') => sweeps.inc({ role }),
    jobsCounted: (counts: Readonly<Record<string, number>>) => {
      for (const [state, count] of Object.entries(counts)) jobs.set({ state }, count)
    },
    failpointReached: ([name, failure]: Failpoint) => log.warn({ failpoint: name, failure }, 'failpoint'),
    failed: (where: string, error: unknown) => {
      errors.inc({ where })
      log.error({ where, err: error }, 'unexpected error')
    },
  }
}
