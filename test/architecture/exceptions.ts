/** A file that may break a rule of this folder, and why. For import rules `to` is the file it may import. */
export interface Exception {
  rule: string
  file: string
  to?: string
  reason: string
}

/** A departure that a rule found. */
export interface Violation {
  file: string
  to?: string
  /** What to show: where it is and what stands there. */
  shown: string
}

/** Every departure from the rules of this folder. One that is no longer needed fails the test of its rule. */
export const exceptions: readonly Exception[] = [
  {
    rule: 'environment',
    file: 'api/bin/ensure-built.mjs',
    reason: 'runs before anything is installed or compiled, and reads only what npm tells it',
  },
  {
    rule: 'environment',
    file: 'api/bin/own-service.ts',
    reason: 'hands its own environment on to the service that the demo starts',
  },
  {
    rule: 'sql',
    file: 'shared/runtime/queue/postgres-backend.ts',
    reason: "grants the runtime role BullMQ's own schema, which is no table of ours",
  },
  {
    rule: 'ledger-writer',
    file: 'shared/store/job/reconcile-attempts.ts',
    reason:
      'takeReconcileAttempts moves the time of the next round so that nobody else takes it: no status, no event, no token',
  },
  {
    rule: 'ledger-writer',
    file: 'shared/store/job/jobs.ts',
    reason: 'renewLeases moves the end of a lease that is still held: no status, no event, no token changes',
  },
  {
    rule: 'ledger-writer',
    file: 'shared/store/job/dispatched-operations.ts',
    reason:
      'an accepted operation hands its lease on, each time with a new token: no status, no event, no attempt',
  },
]

/** What a rule found beyond the exceptions, and the exceptions that it did not need. */
export function judge(rule: string, violations: readonly Violation[]): string[] {
  const allowed = exceptions.filter(exception => exception.rule === rule)
  const beyond = violations.filter(violation => !allowed.some(exception => covers(exception, violation)))
  const idle = allowed.filter(exception => !violations.some(violation => covers(exception, violation)))
  return [
    ...beyond.map(({ shown }) => shown),
    ...idle.map(
      ({ file, to }) =>
        `${[file, to].join(' ')}: its exception is no longer needed; remove it from exceptions.ts`,
    ),
  ]
}

function covers(exception: Exception, violation: Violation): boolean {
  return exception.file === violation.file && exception.to === violation.to
}
