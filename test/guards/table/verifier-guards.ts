import type { Guard } from '../guard.ts'

const chain = 'shared/audit/verify/check-authorisation.ts'
const times = 'shared/audit/verify/time-problems.ts'
const config = 'shared/audit/verify/config-problems.ts'
const walk = 'shared/store/log/audit-walk-decisions.ts'
const heldInTime = 'drizzle/0006_held_in_time.sql'
const timed = ['test/pure/audit/verify-times.test.ts']
const configured = ['test/pure/audit/config-problems.test.ts']
const walked = ['test/service/log/decisions-check.test.ts']
const routes = ['test/service/approval/routes.test.ts']

/** That a log which contradicts itself about who decided, and when, is refused. */
export const verifierGuards: readonly Guard[] = [
  {
    name: 'times-in-the-verifier',
    invariants: [1],
    protects: 'an auditor finds out that a held action was decided out of its time',
    edits: [{ file: chain, from: '    timeProblem(told) ??\n', to: '' }],
    tests: timed,
  },
  {
    name: 'decided-while-held',
    invariants: [2],
    protects: 'an auditor finds out that somebody approved after the hold was over',
    edits: [{ file: times, from: 'isBefore(hold.ends, time)', to: 'isBefore(hold.ends, 0)' }],
    tests: timed,
  },
  {
    name: 'expired-when-over',
    invariants: [22],
    protects: 'an auditor finds out that a hold was ended before its time',
    edits: [{ file: times, from: 'isBefore(time, hold.ends)', to: 'isBefore(time, 0)' }],
    tests: timed,
  },
  {
    name: 'help-when-the-route-says',
    invariants: [1],
    protects: 'an auditor finds out that a group helped before the route asked it',
    edits: [{ file: times, from: 'isBefore(time, helps.from)', to: 'isBefore(time, 0)' }],
    tests: timed,
  },
  {
    name: 'times-in-the-database-check',
    invariants: [1],
    protects: 'the check of the database finds help before its time',
    edits: [
      { file: 'shared/flow/database-check/check-actions.ts', from: '    timesProblem(events) ??\n', to: '' },
    ],
    tests: walked,
    named: 'finds help before|nobody minted',
  },
  {
    name: 'accounts-are-themselves',
    invariants: [13],
    protects: 'an auditor finds out that an account counted as somebody else',
    edits: [{ file: chain, from: '    accountProblem(told) ??\n', to: '' }],
    tests: ['test/pure/audit/verify-quorum.test.ts'],
  },
  {
    name: 'edits-on-the-route',
    invariants: [1],
    protects: 'an auditor finds out that somebody edited for no group of the route',
    edits: [
      {
        file: 'shared/audit/verify/route-problems.ts',
        from: "'rejection', 'supersession']",
        to: "'rejection']",
      },
    ],
    tests: ['test/pure/audit/verify-route.test.ts'],
  },
  {
    name: 'edits-by-others',
    invariants: [13],
    protects: 'an auditor finds out that the proposer edited under another key',
    edits: [
      {
        file: 'shared/audit/verify/approval-problems.ts',
        from: 'holder !== undefined && holder === verdict?.proposer_holder',
        to: 'holder === null',
      },
    ],
    tests: ['test/pure/audit/verify-route.test.ts'],
  },
  {
    name: 'edits-say-whose-they-are',
    invariants: [16],
    protects: 'an edit on a route records whose it is and for which group',
    edits: [
      {
        file: 'shared/lifecycle/decide.ts',
        from: '{ ...payload, ...edited.value, proposal_hash',
        to: '{ ...payload, proposal_hash',
      },
    ],
    tests: ['test/pure/lifecycle/decide.test.ts'],
  },
  {
    name: 'holds-say-how-long',
    invariants: [16],
    protects: 'the verdict of what is held records how long it waits',
    edits: [
      {
        file: 'shared/flow/action/seal-opening.ts',
        from: "return decision === 'needs_approval' ? { decide_within_ms } : {}",
        to: "return decision === 'deny' ? { decide_within_ms } : {}",
      },
    ],
    tests: routes,
    named: 'has its own time|lets any approver',
  },
  {
    name: 'keys-are-minted',
    invariants: [1],
    protects: 'the check of the database finds a decision by a key that nobody minted',
    edits: [{ file: config, from: "keysAreHere ? 'a key that nobody had minted' : null", to: 'null' }],
    tests: configured,
  },
  {
    name: 'keys-are-of-their-holder',
    invariants: [13],
    protects:
      'the check of the database finds a decision that names another holder than its key was minted for',
    edits: [{ file: config, from: '&& holder !== issued.holder)', to: "&& holder === '')" }],
    tests: configured,
  },
  {
    name: 'keys-that-ended-decide-nothing',
    invariants: [18],
    protects: 'the check of the database finds a decision by a key that had ended',
    edits: [{ file: config, from: "if (kind === 'verdict' || !keysAreHere) return null", to: 'return null' }],
    tests: configured,
  },
  {
    name: 'groups-have-their-people',
    invariants: [1],
    protects: 'the check of the database finds a decision by somebody whom the group did not have',
    edits: [{ file: config, from: 'if (in_group !== false) return null', to: 'return null' }],
    tests: configured,
  },
  {
    name: 'delegates-are-named',
    invariants: [1],
    protects: 'the check of the database finds a delegate whom nobody named',
    edits: [{ file: config, from: 'if (delegated === false)', to: 'if (delegated === undefined)' }],
    tests: configured,
  },
  {
    name: 'the-log-is-the-order',
    invariants: [16],
    protects: 'a decision is held against what the configuration said before it, and not after it',
    edits: [{ file: walk, from: 'where t.index < a.index', to: 'where true' }],
    tests: walked,
    named: 'never refused|nobody minted',
  },
  {
    name: 'all-that-was-said-before',
    invariants: [16],
    protects: 'a decision is held against the last that the configuration said before it',
    edits: [{ file: walk, from: 'max(t.index) as told_at', to: 'min(t.index) as told_at' }],
    tests: walked,
    named: 'or no more|nobody minted',
  },
  {
    name: 'unplaced-edits-are-looked-up',
    invariants: [1],
    protects: 'an edit that does not say for which group it is was made by somebody on the route',
    edits: [
      {
        file: walk,
        from: "(d.said_group is not null or d.route_groups <> '{}')",
        to: 'd.said_group is not null',
      },
    ],
    tests: walked,
    named: 'finds an edit|nobody minted',
  },
  {
    name: 'hold-in-the-database',
    invariants: [2],
    protects: 'the database frees nothing whose hold was over',
    edits: [{ file: heldInTime, from: "OLD.status = 'pending_approval' AND NEW", to: 'false AND NEW' }],
    tests: routes,
    named: 'frees nothing|lets any approver',
  },
  {
    name: 'help-in-the-database',
    invariants: [1],
    protects: 'the database takes no call for help before the route asks for it',
    edits: [
      {
        file: heldInTime,
        from: "IF due > clock_timestamp() + interval '1 second' THEN",
        to: 'IF false THEN',
      },
    ],
    tests: routes,
    named: 'refuses help|lets any approver',
  },
  {
    name: 'edit-in-the-database',
    invariants: [1],
    protects: 'the database takes no edit of somebody whom no group of the route has',
    edits: [{ file: heldInTime, from: 'IF coalesce(\n    said', to: 'IF true OR coalesce(\n    said' }],
    tests: routes,
    named: 'refuses an edit|lets any approver',
  },
]
