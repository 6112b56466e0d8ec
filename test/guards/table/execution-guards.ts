import type { Guard } from '../guard.ts'

const execute = 'shared/lifecycle/execute.ts'
const claimStatement = 'shared/store/job/claim/claim-statement.ts'
const jobs = 'shared/store/job/jobs.ts'
const ledger = 'shared/store/action/ledger.ts'

/** Who may call an actuator, and who may record what came of it. */
export const executionGuards: readonly Guard[] = [
  {
    name: 'token-in-settle',
    invariants: [5, 8],
    protects: 'an outcome is recorded only by the attempt whose fencing token is current',
    edits: [
      {
        file: execute,
        from: "if (job?.state !== 'leased' || job.lease_token !== settlement.token) return",
        to: "if (job?.state !== 'leased') return",
      },
    ],
    tests: ['test/pure/lifecycle/settle.test.ts', 'test/store/jobs.test.ts'],
  },
  {
    name: 'token-in-write',
    invariants: [5],
    protects: 'a change of a job is written only onto the token that it was decided on',
    edits: [
      {
        file: ledger,
        from: 'where x.action_id = j.action_id and x.lease_token = j.expected_token',
        to: 'where x.action_id = j.action_id',
      },
    ],
    tests: ['test/guards/fencing.test.ts'],
  },
  {
    name: 'token-in-renewal',
    invariants: [5],
    protects: 'a lease is renewed only with the token that it was taken with',
    edits: [{ file: jobs, from: 'and j.lease_token = held.token and', to: 'and' }],
    tests: ['test/guards/fencing.test.ts'],
  },
  {
    name: 'live-lease-in-renewal',
    invariants: [5],
    protects: 'a lease that ran out is not brought back to life',
    edits: [{ file: jobs, from: '\n  and j.lease_expires_at > clock_timestamp()\n', to: '\n' }],
    tests: ['test/store/jobs.test.ts'],
  },
  {
    name: 'growing-tokens',
    invariants: [5],
    protects: 'every claim has a token of its own, greater than all before',
    edits: [{ file: claimStatement, from: "nextval('lease_tokens') as token", to: '1::int8 as token' }],
    tests: ['test/store/jobs.test.ts'],
  },
  {
    name: 'write-ahead-row',
    invariants: [4, 6],
    protects: 'attempt, token and key are committed before the actuator is called',
    edits: [
      {
        file: 'shared/flow/execution/claim-jobs.ts',
        from: 'return { job, change }',
        to: 'return { job, change: null }',
      },
    ],
    tests: ['test/guards/calling.test.ts'],
  },
  {
    name: 'write-ahead-commit',
    invariants: [4, 6],
    protects: 'the claim is committed, not only written, before the actuator is called',
    edits: [
      {
        file: 'shared/flow/execution/claim-jobs.ts',
        from: 'await appendChanges(writer, changes)',
        to: `await appendChanges({ ...writer, last: writer.query }, changes)
        await writer.query('undo', 'rollback', [])`,
      },
    ],
    tests: ['test/guards/calling.test.ts'],
  },
  {
    name: 'pending-in-claim',
    invariants: [5, 6],
    protects: 'only a job that nobody holds is claimed',
    edits: [
      {
        file: execute,
        from: "if (job?.state !== 'pending' || !repeatable) return",
        to: 'if (!job || !repeatable) return',
      },
    ],
    tests: ['test/pure/lifecycle/decide.test.ts'],
  },
  {
    name: 'repeat-needs-the-key',
    invariants: [6],
    protects: 'what may have happened is claimed again only where the key is honoured',
    edits: [
      {
        file: execute,
        from: "if (job?.state !== 'pending' || !repeatable) return",
        to: "if (job?.state !== 'pending') return",
      },
    ],
    tests: ['test/pure/lifecycle/decide.test.ts'],
  },
  {
    name: 'repeat-refused-at-claim',
    invariants: [6, 23],
    protects: 'what must not be repeated ends in a named state instead of waiting for ever',
    edits: [
      {
        file: 'shared/flow/execution/claim-jobs.ts',
        from: 'const bound = repeatable(row, asApproved(row, bind(row, claimer.registry)))',
        to: 'const bound = asApproved(row, bind(row, claimer.registry))',
      },
    ],
    tests: ['test/guards/taking-over.test.ts'],
    named: 'ring nobody hears|no longer honours',
  },
  {
    name: 'lease-expiry',
    invariants: [5, 6],
    protects: 'a lease is judged only once it ran out by the clock of the database',
    edits: [
      {
        file: execute,
        from: "if (job?.state !== 'leased' || !job.lease_expired) return",
        to: "if (job?.state !== 'leased') return",
      },
    ],
    tests: ['test/pure/lifecycle/settle.test.ts'],
  },
  {
    name: 'sweep-of-leases',
    invariants: [22, 23],
    protects: 'the job of a worker that died is taken up',
    edits: [
      {
        file: 'shared/flow/execution/sweep.ts',
        from: 'const leases = await sweepLeases(context)',
        to: 'const leases = false',
      },
    ],
    tests: ['test/guards/taking-over.test.ts'],
    named: 'ring nobody hears|key: none',
  },
  {
    name: 'systems-have-shares',
    invariants: [23],
    protects: 'calls that hang at one system of a tenant leave slots for its calls of another',
    edits: [
      {
        file: claimStatement,
        from: 'least(v.room, $2::int4 - coalesce(h.jobs, 0), ',
        to: 'least(v.room, $1::int4 + $2::int4, ',
      },
    ],
    tests: ['test/service/execution/system-shares.test.ts'],
  },
  {
    name: 'systems-have-shares-of-calls',
    invariants: [23],
    protects: 'operations that never end at one system of a tenant leave it calls of another',
    edits: [
      {
        file: 'shared/flow/execution/call-shares.ts',
        from: 'actuator_in_flight_max: Math.min(actuator_in_flight_max, ofSystem)',
        to: 'actuator_in_flight_max: ofSystem < 0 ? ofSystem : actuator_in_flight_max',
      },
    ],
    tests: ['test/service/execution/system-shares.test.ts'],
  },
  {
    name: 'sweep-of-due-jobs',
    invariants: [21, 22],
    protects: 'a job whose ring was lost runs all the same',
    edits: [
      {
        file: 'worker/start-worker.ts',
        from: '    executor.sweep()\n',
        to: '',
      },
    ],
    tests: ['test/guards/taking-over.test.ts'],
    named: 'ring nobody hears|by itself',
  },
  {
    name: 'sweep-of-long-due-jobs',
    invariants: [21],
    protects: 'a job that was committed later than claims look back runs all the same',
    edits: [{ file: 'worker/start-worker.ts', from: 'executor.sweep()', to: 'executor.wake()' }],
    tests: ['test/service/execution/worker-slots.test.ts'],
    named: 'due longer than anything',
  },
  {
    name: 'abort-on-lost-lease',
    invariants: [5, 6],
    protects: 'a call that another worker may make again is aborted once its lease is lost',
    edits: [
      {
        file: 'worker/lease-heartbeat.ts',
        from: "else lose(entry, 'the lease was lost')",
        to: '',
      },
    ],
    tests: ['test/guards/calling.test.ts'],
    named: 'a call under way',
  },
  {
    name: 'abort-on-missed-renewals',
    invariants: [5, 6],
    protects: 'the same where the database cannot be reached',
    edits: [
      {
        file: 'worker/lease-heartbeat.ts',
        from: 'if (entry.renewalsMissed >= renewalsMissedMax)',
        to: 'if (entry.renewalsMissed < 0)',
      },
    ],
    tests: ['test/guards/calling.test.ts'],
    named: 'a call under way',
  },
  {
    name: 'no-call-without-lease',
    invariants: [4, 6],
    protects: 'no call begins once the lease is lost',
    edits: [
      {
        file: 'shared/actuator/invoke.ts',
        from: "if (signal.aborted) return { class: 'retry'",
        to: "if (signal.aborted && invocation.attempt < 0) return { class: 'retry'",
      },
    ],
    tests: ['test/pure/actuator/invoke.test.ts'],
  },
  {
    name: 'no-late-call',
    invariants: [5, 6],
    protects: 'a worker that slept between claim and call does not call',
    edits: [
      {
        file: 'shared/flow/execution/run-execution.ts',
        from: 'if (begun - job.claimed_at > context.config.lease_ms / 2) {',
        to: 'if (begun < job.claimed_at) {',
      },
    ],
    tests: ['test/guards/calling.test.ts'],
    named: 'when the actuator is called',
  },
  {
    name: 'no-late-send',
    invariants: [5, 6],
    protects: 'nothing is written to a connection that came about after the lease was over',
    edits: [
      {
        file: 'shared/actuator/egress/egress-guard.ts',
        from: 'if (isLate?.()) throw new TooLate()',
        to: '',
      },
    ],
    tests: ['test/pure/actuator/late-send.test.ts'],
  },
  {
    name: 'stable-key',
    invariants: [7],
    protects: 'every attempt of an action has the same idempotency key',
    edits: [
      {
        file: 'shared/flow/execution/claim-jobs.ts',
        from: 'call: { attempt, not_after, callback_url, ...call },',
        to: `call: { ...call, attempt, not_after, callback_url, idempotency_key: \`\${call.idempotency_key}\${attempt}\` },`,
      },
    ],
    tests: ['test/service/action/outcomes.test.ts'],
    named: 'honours? the key',
  },
  {
    name: 'own-key',
    invariants: [7],
    protects: 'two actions never share an idempotency key',
    edits: [
      {
        file: 'shared/flow/core/execution-binding.ts',
        from: 'idempotency_key: idempotencyKey(tenant_id, action_id),',
        to: 'idempotency_key: idempotencyKey(tenant_id, tenant_id),',
      },
    ],
    tests: ['test/service/action/outcomes.test.ts'],
    named: 'honours? the key',
  },
]
