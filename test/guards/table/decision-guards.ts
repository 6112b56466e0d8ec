import { baseline, type Guard } from '../guard.ts'

const decide = 'shared/lifecycle/decide.ts'
const ledger = 'shared/store/action/ledger.ts'
const binding = 'shared/flow/core/execution-binding.ts'

/** What may be decided, by whom, and that what was decided is what runs. */
export const decisionGuards: readonly Guard[] = [
  {
    name: 'one-per-proposal',
    invariants: [3],
    protects: 'a proposal id of a tenant stands for one action, under any race',
    edits: [
      {
        file: baseline.tables,
        from: '\tCONSTRAINT "actions_one_per_proposal" UNIQUE("tenant_id","proposal_id"),\n',
        to: '',
      },
      { file: ledger, from: 'on conflict (tenant_id, proposal_id) do nothing', to: 'on conflict do nothing' },
    ],
    tests: ['test/store/ledger.test.ts'],
  },
  {
    name: 'other-content-conflicts',
    invariants: [3],
    protects: 'a proposal id with other content is a conflict',
    edits: [
      {
        file: 'shared/flow/action/submit-proposal.ts',
        from: 'if (existing.proposal_hash !== hash) {',
        to: "if (existing.proposal_hash === '') {",
      },
    ],
    tests: ['test/service/action/submit.test.ts'],
  },
  {
    name: 'row-lock',
    invariants: [8, 11],
    protects: 'decisions about one action follow each other',
    edits: [
      {
        file: 'shared/store/action/locked-actions.ts',
        from: 'order by a.action_id\nfor update of a`',
        to: 'order by a.action_id`',
      },
    ],
    tests: ['test/service/action/cancel.test.ts'],
  },
  {
    name: 'state-in-write',
    invariants: [8, 11],
    protects: 'a change is written only onto the state that it was decided on',
    edits: [
      {
        file: ledger,
        from: 'where a.action_id = c.action_id and a.status = c.status_from and a.event_count = c.prior_count',
        to: 'where a.action_id = c.action_id',
      },
    ],
    tests: ['test/guards/fencing.test.ts'],
  },
  {
    name: 'state-table',
    invariants: [2, 8, 11],
    protects: 'a move that the state table does not have is refused',
    edits: [
      {
        file: 'shared/lifecycle/transition.ts',
        from: 'return byMove.get(moveKey(status, trigger)) ?? null',
        to: 'return transitions.find(row => row.trigger === trigger) ?? null',
      },
    ],
    tests: ['test/pure/lifecycle/decide.test.ts', 'test/pure/lifecycle/properties.test.ts'],
  },
  {
    name: 'scope-of-the-key',
    invariants: [13],
    protects: 'who proposes cannot approve: every endpoint takes keys of its own scope alone',
    edits: [
      {
        file: 'api/http/authenticate.ts',
        from: 'if (scopes[access].includes(scope)) return',
        to: 'if (scopes[access].length > 0 || scope) return',
      },
    ],
    tests: ['test/service/account/authentication.test.ts'],
  },
  {
    name: 'own-cancellation',
    invariants: [13],
    protects: 'a held action is withdrawn only by the key that proposed it',
    edits: [
      {
        file: decide,
        from: 'if (action.key_id !== proposer.id) return',
        to: "if (proposer.id === '') return",
      },
    ],
    tests: ['test/pure/lifecycle/decide.test.ts'],
  },
  {
    name: 'seen-is-approved',
    invariants: [12],
    protects: 'an approval of another proposal than the one that was seen is refused',
    edits: [
      {
        file: decide,
        from: 'proposal_hash: proposal_hash ?? action.proposal_hash,',
        to: 'proposal_hash: action.proposal_hash,',
      },
    ],
    tests: ['test/pure/lifecycle/decide.test.ts'],
  },
  {
    name: 'seen-is-sent',
    invariants: [12],
    protects: 'an approval of another request than the one that was seen is refused',
    edits: [
      {
        file: decide,
        from: 'request_hash: request_hash ?? action.planned_hash,',
        to: 'request_hash: action.planned_hash,',
      },
    ],
    tests: ['test/pure/lifecycle/decide.test.ts'],
  },
  {
    name: 'expiry-in-decision',
    invariants: [1, 2],
    protects: 'a hold that is over cannot be approved, though nobody recorded that yet',
    edits: [
      {
        file: decide,
        from: "return action.status === 'pending_approval' && action.hold_expired ?",
        to: "return action.status === 'received' ?",
      },
    ],
    tests: ['test/guards/deciding.test.ts'],
  },
  {
    name: 'expiry-by-the-clock',
    invariants: [1, 2],
    protects: 'the deciding statement asks the clock of the database whether a hold is over',
    edits: [
      {
        file: 'shared/store/action/locked-actions.ts',
        from: 'coalesce(a.held_until <= clock_timestamp(), false) as hold_expired',
        to: 'false as hold_expired',
      },
    ],
    tests: ['test/guards/deciding.test.ts'],
  },
  {
    name: 'sweep-of-holds',
    invariants: [22],
    protects: 'silence ends in a denial',
    edits: [
      {
        file: 'shared/flow/execution/sweep.ts',
        from: 'const holds = await sweepHolds(context)',
        to: 'const holds = false',
      },
    ],
    tests: ['test/guards/taking-over.test.ts'],
    named: 'ring nobody hears|by itself',
  },
  {
    name: 'live-key-in-decision',
    invariants: [18],
    protects: 'a key that was revoked before the decision decides nothing',
    edits: [
      {
        file: 'shared/flow/core/change-action.ts',
        from: 'if (decided_by !== undefined && !good.has(decided_by)) {',
        to: 'if (decided_by !== undefined && !good) {',
      },
    ],
    tests: ['test/guards/deciding.test.ts'],
  },
  {
    name: 'key-held-to-the-commit',
    invariants: [18],
    protects: 'no revocation is committed between the look at a key and the decision made with it',
    edits: [
      { file: 'shared/store/tenant/api-keys.ts', from: 'order by key_id for share`', to: 'order by key_id`' },
    ],
    tests: ['test/guards/deciding.test.ts'],
  },
  {
    name: 'revoked-key-refused',
    invariants: [18],
    protects: 'a revoked key is refused at the next request on every process',
    edits: [
      {
        file: 'shared/flow/tenant/authenticate-key.ts',
        from: "if (key.revoked) throw new ServiceError('key_revoked')",
        to: '',
      },
    ],
    tests: ['test/service/tenant/keys.test.ts'],
  },
  {
    name: 'freeze-at-proposal',
    invariants: [2],
    protects: 'what is frozen is denied',
    edits: [
      {
        file: 'shared/flow/action/seal-opening.ts',
        from: 'applyFreezes(evaluate(proposal, rules.compiled), rules.freezes, subject)',
        to: 'applyFreezes(evaluate(proposal, rules.compiled), [], subject)',
      },
    ],
    tests: ['test/service/execution/freezes.test.ts'],
    named: 'platform mode: false',
  },
  {
    name: 'rules-in-force-at-insert',
    invariants: [2, 19],
    protects: 'an action is made only under the rules in force when it is committed',
    edits: [
      {
        file: ledger,
        from: 'where t.tenant_id = o.tenant_id and t.rules_version = o.rules_version',
        to: 'where t.tenant_id = o.tenant_id',
      },
    ],
    tests: ['test/store/ledger.test.ts'],
  },
  {
    name: 'key-confirmed-at-insert',
    invariants: [18],
    protects: 'a key that was revoked proposes nothing, though it was good a moment ago',
    edits: [
      {
        file: ledger,
        from: "keyIsGood('o')",
        to: "'true'",
      },
    ],
    tests: ['test/store/ledger.test.ts'],
  },
  {
    name: 'key-confirmed-at-reading',
    invariants: [18],
    protects: 'a key that was revoked reads nothing, though it was good a moment ago',
    edits: [
      {
        file: 'shared/flow/action/read-actions.ts',
        from: "if (!stored.key_good) throw new ServiceError('invalid_key')",
        to: '',
      },
    ],
    tests: ['test/service/tenant/keys.test.ts'],
  },
  {
    name: 'time-at-insert',
    invariants: [15],
    protects: "an action is made under the database's time",
    edits: [
      { file: ledger, from: 'where key_good and timely and current', to: 'where key_good and current' },
    ],
    tests: ['test/store/ledger.test.ts'],
  },
  {
    name: 'time-at-record',
    invariants: [15],
    protects: "an outcome that is recorded without a lock stands under the database's time",
    edits: [{ file: ledger, from: "{timely('c.at')}", to: "{'true'}" }],
    tests: ['test/service/execution/settle-leased.test.ts'],
  },
  {
    name: 'freeze-at-approval',
    invariants: [2],
    protects: 'what is frozen cannot be approved',
    edits: [
      {
        file: decide,
        from: "if (action.frozen) return refused({ reason: 'frozen' })\n    const differing",
        to: "if (action.status === 'received') return refused({ reason: 'frozen' })\n    const differing",
      },
    ],
    tests: ['test/service/execution/freezes.test.ts'],
    named: 'platform mode: false',
  },
  {
    name: 'freeze-at-claim',
    invariants: [2],
    protects: 'what is frozen is not executed',
    edits: [
      {
        file: 'shared/store/job/claim/claim-statement.ts',
        from: "frozen('a', ['freeze', 'pause'])",
        to: "frozen('a', ['pause'])",
      },
      {
        file: 'shared/store/job/claim/claim-statement.ts',
        from: 'coalesce(f.operation, f.key_id) is null',
        to: "coalesce(f.operation, f.key_id) is null and f.effect = 'pause'",
      },
      {
        file: 'shared/store/job/claim/tenant-rotation.ts',
        from: 'coalesce(z.system, z.operation, z.key_id) is null',
        to: "coalesce(z.system, z.operation, z.key_id) is null and z.effect = 'pause'",
      },
    ],
    tests: ['test/service/execution/freezes.test.ts'],
    named: 'platform mode: false',
  },
  {
    name: 'freezes-of-a-cursor',
    invariants: [21],
    protects: 'jobs that a freeze kept run when it is lifted',
    edits: [
      {
        file: 'shared/store/job/claim/claim-statement.ts',
        from: ' and k.freezes = p.freezes and',
        to: ' and',
      },
    ],
    tests: ['test/store/kept-jobs.test.ts'],
  },
  {
    name: 'digest-at-claim',
    invariants: [12],
    protects: 'a proposal that is not the one that was decided is not executed',
    edits: [
      {
        file: binding,
        from: "if (documentHash('proposal', proposal) !== subject.proposal_hash) {",
        to: "if (documentHash('proposal', proposal) === '') {",
      },
    ],
    tests: ['test/guards/deciding.test.ts'],
  },
  {
    name: 'request-at-claim',
    invariants: [12],
    protects: 'what a registration sends that was replaced since the approval is not sent',
    edits: [
      {
        file: binding,
        from: 'if (plannedHash(planned) !== bound.approved_request) {',
        to: "if (plannedHash(planned) === '') {",
      },
    ],
    tests: ['test/service/approval/approved-request.test.ts'],
    named: 'with another server and DELETE',
  },
  {
    name: 'kind-at-claim',
    invariants: [12],
    protects: 'an actuator of another kind than the one that was decided is not called',
    edits: [
      {
        file: binding,
        from: 'if (decided?.kind !== registered.kind) {',
        to: 'if (!decided) {',
      },
    ],
    tests: ['test/service/action/outcomes.test.ts'],
    named: 'what cannot be run',
  },
  {
    name: 'proof-of-what-comes-into-force',
    invariants: [5],
    protects:
      'two revisions at once, each proved beside what was there, do not break together what was proved',
    edits: [
      {
        file: 'shared/flow/policy/change-proved.ts',
        from: 'if (await isStale(context, query, tenant, proved)) throw new StaleProof()',
        to: 'if (!query) throw new StaleProof()',
      },
    ],
    tests: ['test/service/policy/verification-gate.test.ts'],
  },
]
