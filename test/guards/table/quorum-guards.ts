import { baseline, type Guard } from '../guard.ts'

const quorum = 'shared/lifecycle/holder.ts'
const pure = ['test/pure/lifecycle/quorum.test.ts']

/** That what takes several people takes several people. */
export const quorumGuards: readonly Guard[] = [
  {
    name: 'quorum-before-execution',
    invariants: [1],
    protects: 'what was held for several approvals is not freed by one',
    edits: [
      {
        file: 'shared/lifecycle/decide.ts',
        from: 'if (action.quorum === null) return move(',
        to: 'if (action.quorum !== undefined) return move(',
      },
    ],
    tests: pure,
  },
  {
    name: 'holder-counts-once',
    invariants: [13],
    protects: 'one person counts once, however many keys they hold',
    edits: [
      {
        file: quorum,
        from: 'counted => sameHolder(counted.holder, holder)',
        to: "counted => counted.holder === ''",
      },
    ],
    tests: pure,
  },
  {
    name: 'principal-counts-once',
    invariants: [13],
    protects: 'one key counts once, and is told so again',
    edits: [{ file: quorum, from: '({ principal }) => principal.id === id', to: '() => id === undefined' }],
    tests: pure,
  },
  {
    name: 'proposer-does-not-count',
    invariants: [13],
    protects: 'who proposed is none of the approvers that it takes',
    edits: [{ file: quorum, from: 'if (sameHolder(holder, proposer_holder))', to: "if (holder === '')" }],
    tests: pure,
  },
  {
    name: 'approvals-read-under-the-lock',
    invariants: [8],
    protects: 'approvals that were committed while the lock was waited for are counted',
    edits: [
      {
        file: 'shared/store/action/locked-actions.ts',
        from: "where e.action_id = any($1::text[]) and e.kind in ('partial_approval', 'escalation')",
        to: "where e.action_id = any($1::text[]) and e.kind in ('')",
      },
    ],
    tests: ['test/service/approval/quorum.test.ts'],
    named: 'a quorum of two',
  },
  {
    name: 'quorum-in-the-database',
    invariants: [1],
    protects: 'the database takes no approval before the others that the recorded verdict demands',
    edits: [
      {
        file: baseline.guards,
        from: "IF principal = ANY (given) OR (cardinality(given) + 1 = required) <> (NEW.kind = 'approval') THEN",
        to: 'IF false THEN',
      },
    ],
    tests: ['test/service/approval/quorum-guards.test.ts'],
    named: 'refuses one approval',
  },
  {
    name: 'quorum-in-the-verifier',
    invariants: [1],
    protects: 'an auditor finds out that there were fewer approvals than it takes',
    edits: [
      {
        file: 'shared/audit/verify/check-authorisation.ts',
        from: '  if (problem !== null) return failed(problem)\n  const by =',
        to: '  const by =',
      },
    ],
    tests: ['test/pure/audit/verify-quorum.test.ts'],
  },
]
