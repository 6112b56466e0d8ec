import type { Guard } from '../guard.ts'

const reconcile = 'shared/lifecycle/reconciliation.ts'
const flow = 'shared/flow/execution/reconcile.ts'
const egress = 'shared/actuator/egress/egress-guard.ts'
const kept = ['test/pure/actuator/kept-connections.test.ts']

/** What may be concluded from an attempt, and from a look-up after it. */
export const outcomeGuards: readonly Guard[] = [
  {
    name: 'sticky-maybe',
    invariants: [9],
    protects: 'what may have happened at one attempt may have happened at the end',
    edits: [
      {
        file: 'shared/lifecycle/execute.ts',
        from: "maybe_executed: maybe_executed || outcome.class === 'unknown',",
        to: "maybe_executed: outcome.class === 'unknown',",
      },
    ],
    tests: ['test/pure/lifecycle/settle.test.ts'],
  },
  {
    name: 'worst-attempt-decides',
    invariants: [9],
    protects: 'an action is failed only where no attempt can have had its effect',
    edits: [
      {
        file: 'shared/lifecycle/execute.ts',
        from: "return job.maybe_executed ? 'lose' : 'fail'",
        to: "return 'fail'",
      },
    ],
    tests: ['test/pure/lifecycle/settle.test.ts'],
  },
  {
    name: 'retry-needs-the-key',
    invariants: [6, 10],
    protects: 'an unknown outcome is retried only where the key is honoured',
    edits: [
      {
        file: 'shared/lifecycle/execute.ts',
        from: 'return attemptsLeft(job) && job.key_honoured ?',
        to: 'return attemptsLeft(job) ?',
      },
    ],
    tests: ['test/pure/lifecycle/settle.test.ts'],
  },
  {
    name: 'refused-is-not-failed',
    invariants: [9],
    protects: 'an action that cannot run any more is not failed where an attempt may have had its effect',
    edits: [
      {
        file: 'shared/lifecycle/execute.ts',
        from: 'const { trigger, outcome } = doubtful\n',
        to: 'const { trigger, outcome } = job.attempt < 0\n',
      },
    ],
    tests: ['test/pure/lifecycle/decide.test.ts'],
  },
  {
    name: 'thrown-is-unknown',
    invariants: [9, 10],
    protects: 'what was thrown may have been thrown after the effect',
    edits: [
      {
        file: 'shared/actuator/invoke.ts',
        from: "{ class: 'unknown', code: 'actuator_threw'",
        to: "{ class: 'failed', code: 'actuator_threw'",
      },
    ],
    tests: ['test/pure/actuator/invoke.test.ts'],
  },
  {
    name: 'nonsense-is-unknown',
    invariants: [9, 10],
    protects: 'an answer in no known shape proves nothing',
    edits: [
      {
        file: 'shared/actuator/sound-answer.ts',
        from: "class: 'unknown',\n    code: 'invalid_outcome',",
        to: "class: 'failed',\n    code: 'invalid_outcome',",
      },
    ],
    tests: ['test/pure/actuator/invoke.test.ts'],
  },
  {
    name: 'silence-is-unknown',
    invariants: [9, 10],
    protects: 'a call that did not answer in time may have had its effect',
    edits: [
      {
        file: 'shared/actuator/invoke.ts',
        from: "{ class: 'unknown', code: 'no_answer_in_time'",
        to: "{ class: 'retry', code: 'no_answer_in_time'",
      },
    ],
    tests: ['test/pure/actuator/invoke.test.ts'],
  },
  {
    name: 'absence-proves-nothing',
    invariants: [10],
    protects:
      'a look-up that finds nothing settles nothing where the downstream does not refuse what comes late',
    edits: [
      {
        file: flow,
        from: "if (finding.found === 'absent' && absenceProves(asked)) return",
        to: "if (finding.found === 'absent') return",
      },
    ],
    tests: ['test/service/execution/reconcile.test.ts'],
    named: 'platform mode: false',
  },
  {
    name: 'absence-after-not-after',
    invariants: [10],
    protects: 'absence is believed only once the downstream refuses what comes late',
    edits: [
      {
        file: flow,
        from: 'return marginMs !== undefined && due.late_by_ms > marginMs',
        to: 'return marginMs !== undefined',
      },
    ],
    tests: ['test/service/execution/reconcile.test.ts'],
    named: 'platform mode: false',
  },
  {
    name: 'key-retention',
    invariants: [6, 10],
    protects: 'a key is repeated only while the downstream surely remembers it',
    edits: [
      {
        file: 'shared/flow/core/execution-binding.ts',
        from: "return actuator.idempotency === 'key_honoured' && triedForMs < repeatedFor * retentionMs",
        to: "return actuator.idempotency === 'key_honoured'",
      },
    ],
    tests: ['test/service/execution/reconcile.test.ts'],
    named: 'platform mode: false',
  },
  {
    name: 'rounds-in-reconcile',
    invariants: [8, 10],
    protects: 'of two rounds of reconcile about one action the first to record wins',
    edits: [
      {
        file: reconcile,
        from: "if (job?.state !== 'unknown' || job.rounds !== round.rounds) return",
        to: "if (job?.state !== 'unknown') return",
      },
    ],
    tests: ['test/pure/lifecycle/reconcile.test.ts'],
  },
  {
    name: 'absence-ends-the-round',
    invariants: [6, 10],
    protects: 'a round of reconcile that began before a new attempt says nothing about it',
    edits: [
      {
        file: reconcile,
        from: 'retry_until: null,\n        rounds: job.rounds + 1,\n',
        to: 'retry_until: null,\n',
      },
    ],
    tests: ['test/pure/lifecycle/reconcile.test.ts'],
  },
  {
    name: 'late-result-against-failed',
    invariants: [9, 10],
    protects: 'a refusal that is looked up does not beat a result that came late',
    edits: [
      {
        file: reconcile,
        from: "if (action.proven) return refused({ reason: 'contradicted' })\n    const payload = { source: 'lookup', outcome: 'failed'",
        to: "const payload = { source: 'lookup', outcome: 'failed'",
      },
    ],
    tests: ['test/pure/lifecycle/reconcile.test.ts'],
  },
  {
    name: 'late-result-against-absent',
    invariants: [9, 10],
    protects: 'absence does not beat a result that came late',
    edits: [
      {
        file: reconcile,
        from: "if (action.proven) return refused({ reason: 'contradicted' })\n    if (!attemptsLeft(job))",
        to: 'if (!attemptsLeft(job))',
      },
    ],
    tests: ['test/pure/lifecycle/reconcile.test.ts'],
  },
  {
    name: 'late-result-against-operator',
    invariants: [9],
    protects: 'an operator cannot deny what a result that came late proves',
    edits: [
      {
        file: reconcile,
        from: "if (outcome === 'execution_failed' && action.proven) return",
        to: "if (outcome === 'execution_failed' && !job) return",
      },
    ],
    tests: ['test/pure/lifecycle/reconcile.test.ts'],
  },
  {
    name: 'same-request-to-repeat',
    invariants: [6],
    protects: 'what may have happened is not asked for again by another request',
    edits: [
      {
        file: 'shared/flow/execution/claim-jobs.ts',
        from: '&& isSameRequest(bound, row.request_hash)) return bound',
        to: ') return bound',
      },
      {
        file: flow,
        from: 'if (repeats && isSameRequest(bound, request_hash)) return repeatKey(round)',
        to: 'if (repeats) return repeatKey(round)',
      },
    ],
    tests: ['test/service/execution/actuator-change.test.ts'],
    named: 'repeated with',
  },
  {
    name: 'same-request-to-disprove',
    invariants: [9],
    protects: 'a look-up by another registration proves no absence',
    edits: [
      {
        file: flow,
        from: '&& !isSameRequest(bound, due.request_hash)) {',
        to: "&& due.request_hash === '') {",
      },
    ],
    tests: ['test/service/execution/actuator-change.test.ts'],
    named: 'taken for',
  },
  {
    name: 'kept-connection-for-what-may-be-repeated',
    invariants: [9],
    protects: 'what must not be repeated goes out on a connection whose failure is proof',
    edits: [
      {
        file: 'shared/actuator/http/http-actuator.ts',
        from: "const repeatable = isRead(operation) || idempotencyOf(http.settings, operation) === 'key_honoured'",
        to: 'const repeatable = true',
      },
    ],
    tests: kept,
  },
  {
    name: 'kept-connection-of-one-tenant',
    invariants: [20],
    protects: 'no request of a tenant goes out on the connection of another',
    edits: [
      {
        file: 'shared/actuator/http/http-actuator.ts',
        from: 'keptFor: [invocation.tenant_id, name]',
        to: 'keptFor: [name]',
      },
    ],
    tests: kept,
  },
  {
    name: 'a-way-out-writes-one-request',
    invariants: [6],
    protects: 'an attempt is one request, whatever the client would write again',
    edits: [
      {
        file: egress,
        from: "if (begun) throw new errors.SocketError('the connection ended after the request began')",
        to: '',
      },
    ],
    tests: kept,
  },
  {
    name: 'answers-are-bounded-on-every-connection',
    invariants: [20],
    protects: 'no answer is read beyond what was allowed, over HTTP/2 neither',
    edits: [{ file: egress, from: 'if (bytes > bytesMax) throw', to: 'if (bytes < 0) throw' }],
    tests: kept,
  },
]
