import type { Guard } from '../guard.ts'

const operations = 'shared/store/job/dispatched-operations.ts'
const completion = ['test/service/execution/completion.test.ts']
const callbacks = ['test/service/execution/callbacks.test.ts']

/** What ends an operation that a downstream accepted, and what does not. */
export const completionGuards: readonly Guard[] = [
  {
    name: 'accepted-is-not-repeated',
    invariants: [6],
    protects: 'an operation that was accepted is never asked for again, however its key is treated',
    edits: [
      {
        file: 'shared/lifecycle/execute.ts',
        from: 'settled(action.job ? { ...action, job: { ...action.job, key_honoured: false } } : action)',
        to: 'settled(action)',
      },
    ],
    tests: completion,
    named: 'at its deadline|is failed by',
  },
  {
    name: 'accepted-is-not-expired',
    invariants: [6],
    protects: 'an operation that goes on is not taken for a worker that died',
    edits: [{ file: 'shared/store/job/jobs.ts', from: ` and not \${isDispatched('j')}`, to: '' }],
    tests: callbacks,
    named: 'is no lease that ran out|says that nothing was done',
  },
  {
    name: 'token-of-accepted',
    invariants: [5],
    protects: 'only who holds the lease hands it on to a downstream',
    edits: [
      {
        file: operations,
        from: 'where action_id = $1 and lease_token = $2::int8 and lease_owner is not null\n  returning action_id, tenant_id',
        to: 'where action_id = $1 and $2::int8 is not null\n  returning action_id, tenant_id',
      },
    ],
    tests: callbacks,
    named: 'by who holds the lease|says that nothing was done',
  },
  {
    name: 'called-back-before-recorded',
    invariants: [6],
    protects: 'no outcome is recorded as if nothing had been called back meanwhile',
    edits: [
      { file: 'shared/store/action/ledger.ts', from: ' and x.called_back is null order by', to: ' order by' },
    ],
    tests: callbacks,
    named: 'counts beside|says that nothing was done',
  },
  {
    name: 'refusal-beside-done',
    invariants: [6],
    protects: 'a refusal beside a callback that it was done is a contradiction, for an operator',
    edits: [
      {
        file: 'shared/lifecycle/execute.ts',
        from: "done: { ok: 'counts', unknown: 'counts', failed: 'contradicts', retry: 'contradicts', busy: 'contradicts' },",
        to: "done: { ok: 'counts', unknown: 'counts', failed: 'counts', retry: 'counts', busy: 'counts' },",
      },
    ],
    tests: callbacks,
    named: 'counts beside|says that nothing was done',
  },
  {
    name: 'late-callback-is-evidence',
    invariants: [6],
    protects: 'a callback that it was done settles what is unknown, whenever it comes',
    edits: [
      {
        file: 'shared/flow/execution/keep-callback.ts',
        from: 'if (late) await settleLate(',
        to: 'if (false) await settleLate(',
      },
    ],
    tests: callbacks,
    named: 'after the deadline|says that nothing was done',
  },
  {
    name: 'callback-read-before-poll',
    invariants: [6],
    protects: 'a poll is not recorded over a callback that came while it asked',
    edits: [
      {
        file: 'shared/lifecycle/execute.ts',
        from: "called !== 'done_before' && !hasRead",
        to: 'false',
      },
    ],
    tests: callbacks,
    named: 'while a poll|says that nothing was done',
  },
  {
    name: 'polls-have-shares',
    invariants: [23],
    protects: 'operations of a system that does not answer leave room for those of others',
    edits: [
      { file: operations, from: 'where nth_of_system + of_system <= $4::int4', to: 'where $4::int4 > 0' },
    ],
    tests: ['test/service/execution/poll-shares.test.ts'],
  },
  {
    name: 'key-of-its-own-operation',
    invariants: [6],
    protects:
      'what may have happened is sent again only where the downstream honours the key for that operation',
    edits: [
      {
        file: 'shared/flow/core/execution-binding.ts',
        from: 'actuator.idempotencyOf?.(operation) ?? actuator.idempotency',
        to: 'actuator.idempotency',
      },
    ],
    tests: ['test/service/execution/own-key.test.ts'],
  },
  {
    name: 'no-read-that-changes-something',
    invariants: [6],
    protects: 'a method that is safe makes no read of what a reviewer says changes something',
    edits: [
      {
        file: 'shared/flow/core/execution-binding.ts',
        from: 'asReviewed(registered, operation, decided.idempotency)',
        to: 'registered.settings',
      },
    ],
    tests: ['test/service/execution/reviewed-key.test.ts'],
  },
  {
    name: 'key-as-reviewed',
    invariants: [6],
    protects: 'what may have happened is sent again only where the reviewer says that the key is honoured',
    edits: [
      {
        file: 'shared/flow/core/execution-binding.ts',
        from: "reviewed === 'none' ? 'none' : own",
        to: 'own',
      },
    ],
    tests: ['test/service/execution/reviewed-key.test.ts'],
  },
  {
    name: 'poll-at-own-host',
    invariants: [10],
    protects: 'an answer cannot send credentials to another host',
    edits: [
      {
        file: 'shared/actuator/http/follow-operation.ts',
        from: "return place.origin === url.origin && place.username === ''",
        to: "return place.username === ''",
      },
    ],
    tests: completion,
    named: 'has one of another|is failed by',
  },
  {
    name: 'callback-before-judgement',
    invariants: [5, 8],
    protects: 'a callback that is kept while its lease ends is judged, and not the lease',
    edits: [
      {
        file: 'shared/store/action/locked-actions.ts',
        from: 'row.lease_expired && !dispatched',
        to: 'row.lease_expired',
      },
    ],
    tests: ['test/service/execution/settle-leased.test.ts'],
  },
  {
    name: 'proof-of-callback',
    invariants: [10],
    protects: 'only an address that was made here ends an attempt',
    edits: [
      {
        file: 'shared/flow/core/callback-url.ts',
        from: 'return proof !== null && sameHash(Buffer.from(shown), Buffer.from(proof)) ? attempt : null',
        to: 'return proof !== null && sameHash(Buffer.from(shown), Buffer.from(shown)) ? attempt : null',
      },
    ],
    tests: callbacks,
    named: 'is answered 404',
  },
  {
    name: 'live-attempt-of-callback',
    invariants: [9],
    protects: 'a callback of an attempt that was judged is late, and no end of another one',
    edits: [
      {
        file: operations,
        from: "select j.state = 'leased' and j.attempt = $2::int4 as under_way",
        to: 'select true as under_way',
      },
    ],
    tests: callbacks,
    named: 'after the deadline|says that nothing was done',
  },
  {
    name: 'first-callback',
    invariants: [8],
    protects: 'of the callbacks of an attempt the first one counts',
    edits: [
      {
        file: 'shared/flow/execution/keep-callback.ts',
        from: "    if (found.called) return { result: 'repeated' as const }\n",
        to: '',
      },
      { file: operations, from: '\nwhere d.attempt < excluded.attempt or d.called_back is null\n', to: '\n' },
    ],
    tests: callbacks,
    named: 'is taken once|says that nothing was done',
  },
  {
    name: 'silence-is-no-end',
    invariants: [6],
    protects:
      'an operation that nobody told the end of is unknown at its deadline, and never executed or failed',
    edits: [
      {
        file: 'shared/flow/execution/poll-dispatched.ts',
        from: "return { class: 'unknown', code: 'completion_deadline', message }",
        to: "return message === '' ? { class: 'unknown', code: '', message } : { class: 'ok', detail: {} }",
      },
    ],
    tests: completion,
    named: 'at its deadline|is failed by',
  },
  {
    name: 'unclear-poll-is-no-end',
    invariants: [6],
    protects: 'an answer to a poll that tells no end says nothing of the operation',
    edits: [
      {
        file: 'shared/actuator/http/follow-operation.ts',
        from: "return { class: 'busy', ...described, ...(retry_after_ms === null ? {} : { retry_after_ms }) }",
        to: "return { class: retry_after_ms === -1 ? 'busy' : 'failed', ...described }",
      },
    ],
    tests: completion,
    named: 'at its deadline|is failed by',
  },
  {
    name: 'unclear-callback',
    invariants: [8],
    protects: 'a callback that tells no end does not take the place of one that does',
    edits: [
      {
        file: 'shared/flow/execution/keep-callback.ts',
        from: 'const read = completion && readCalledBack(body, completion, redactsNothing)',
        to: "const read = completion && (readCalledBack(body, completion, redactsNothing) ?? { class: 'failed' })",
      },
    ],
    tests: callbacks,
  },
]
