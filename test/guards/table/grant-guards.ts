import type { Guard } from '../guard.ts'

const pure = ['test/pure/gate/bounded-grants.test.ts']
const service = ['test/service/approval/bounded-grants.test.ts']

/** That a grant allows no more than it says, no oftener and no longer. */
export const grantGuards: readonly Guard[] = [
  {
    name: 'grant-of-its-registration',
    invariants: [2, 19],
    protects: 'a grant allows nothing once its operation is registered elsewhere',
    edits: [
      {
        file: 'shared/gate/bounded-grants.ts',
        from: 'isRegisteredAs(clause, subject.registration)',
        to: 'true',
      },
    ],
    tests: service,
  },
  {
    name: 'no-constraint-by-shape',
    invariants: [1],
    protects: 'a constraint does not hold where a downstream may read another value than the gate',
    edits: [{ file: 'shared/gate/hidden-parameter.ts', from: 'if (hiding) return hiding.why', to: '' }],
    tests: ['test/pure/gate/cases.test.ts'],
  },
  {
    name: 'grant-of-its-key',
    invariants: [2],
    protects: 'a grant is of the key that it names',
    edits: [{ file: 'shared/gate/bounded-grants.ts', from: 'clause.key_id === subject.key_id &&', to: '' }],
    tests: pure,
  },
  {
    name: 'grant-under-its-documents',
    invariants: [2, 19],
    protects: 'a grant rests under another policy than it was proved under',
    edits: [{ file: 'shared/gate/bounded-grants.ts', from: 'clause.policy_hash === policy.hash &&', to: '' }],
    tests: service,
  },
  {
    name: 'grant-of-what-is-held',
    invariants: [2],
    protects: 'a grant changes nothing that is denied',
    edits: [
      {
        file: 'shared/gate/bounded-grants.ts',
        from: "if (evaluation.decision !== 'needs_approval') return []",
        to: "if (evaluation.decision === 'allow') return []",
      },
    ],
    tests: pure,
  },
  {
    name: 'grant-locked',
    invariants: [8],
    protects: 'uses of a grant follow each other',
    edits: [
      {
        file: 'shared/store/tenant/grant-rows.ts',
        from: 'order by grant_id for no key update`',
        to: 'order by grant_id`',
      },
    ],
    tests: service,
  },
  {
    name: 'grant-used-in-turn',
    invariants: [8],
    protects: 'the database takes no use that the grant does not have',
    edits: [
      {
        file: 'drizzle/0002_guards.sql',
        from: 'AND NEW.use <= granted.uses_max AND granted.revoked_at IS NULL',
        to: 'AND granted.revoked_at IS NULL',
      },
    ],
    tests: service,
  },
  {
    name: 'grant-required-parameter',
    invariants: [2],
    protects: 'a grant bounds a parameter that may be missing',
    edits: [
      {
        file: 'shared/policy-analysis/grant/granted-rules.ts',
        from: 'return { ...constraint, required: true }',
        to: 'return { ...constraint }',
      },
    ],
    tests: ['test/pure/prove/prove-grant.test.ts'],
  },
]
