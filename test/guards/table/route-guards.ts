import type { Guard } from '../guard.ts'

const lifecycle = 'shared/lifecycle/route.ts'
const database = 'drizzle/0002_guards.sql'
const pure = ['test/pure/lifecycle/route.test.ts']
const service = ['test/service/approval/routes.test.ts']

/** That only the people of a route decide, each for one group. */
export const routeGuards: readonly Guard[] = [
  {
    name: 'route-names-its-people',
    invariants: [1],
    protects: 'nobody outside the groups of a route approves or rejects',
    edits: [
      {
        file: lifecycle,
        from: '.filter(group => route.people.get(group)?.includes(on_behalf_of ?? holder))',
        to: '.filter(group => route.people.get(group) !== null)',
      },
    ],
    tests: pure,
  },
  {
    name: 'each-group-gives-its-own',
    invariants: [1],
    protects: 'an approval that no group needs does not take the place of one that another needs',
    edits: [{ file: lifecycle, from: 'if (spareOf(quorum) > 0)', to: 'if (spareOf(quorum) > -9)' }],
    tests: pure,
  },
  {
    name: 'absent-counts-once',
    invariants: [13],
    protects: 'a delegate does not count beside who is absent, nor for a proposal of theirs',
    edits: [
      {
        file: lifecycle,
        from: '!spent.some(one => sameHolder(one, on_behalf_of))',
        to: "on_behalf_of !== ''",
      },
    ],
    tests: pure,
  },
  {
    name: 'route-is-frozen',
    invariants: [12],
    protects: 'a later change of a route frees nothing that is held',
    edits: [
      {
        file: 'shared/gate/evaluate.ts',
        from: '    ...(isHeld && compiled.route ? { route: compiled.route } : {}),\n',
        to: '',
      },
    ],
    tests: service,
    named: 'a route',
  },
  {
    name: 'pushed-along-the-route',
    invariants: [1],
    protects: 'a browser shows what its person may decide by the route, and nothing else',
    edits: [
      {
        file: 'shared/flow/webhook/send-push.ts',
        from: 'return (route?.names_you ?? true) && !hasApproved',
        to: 'return route !== null && !hasApproved',
      },
    ],
    tests: ['test/service/webhook/push.test.ts'],
    named: 'nothing is sent',
  },
  {
    name: 'route-in-the-database',
    invariants: [1],
    protects: 'the database takes no decision of somebody whom no group of the route has',
    edits: [
      {
        file: database,
        from: 'IF NOT coalesce(\n    said',
        to: 'IF false AND NOT coalesce(\n    said',
      },
    ],
    tests: service,
    named: 'refuses whom no group has|lets any approver',
  },
  {
    name: 'groups-in-the-database',
    invariants: [1],
    protects: 'the database takes no more approvals of a group than the route can use',
    edits: [
      {
        file: database,
        from: "IF surplus > greatest(0, coalesce((verdict ->> 'approvals_required')::int4, 1) - needed)",
        to: 'IF false',
      },
      { file: database, from: "OR (NEW.kind = 'approval' AND lacking > 0)", to: 'OR false' },
    ],
    tests: service,
    named: 'refuses more of a group|lets any approver',
  },
  {
    name: 'route-asks-for-an-issuer',
    invariants: [18],
    protects: 'a second account of one’s own making is not enough where a route asks for people of an issuer',
    edits: [
      {
        file: 'shared/lifecycle/route.ts',
        from: '  if (issuer === null) return null\n',
        to: '  return null\n',
      },
    ],
    tests: ['test/pure/lifecycle/route.test.ts'],
  },
  {
    name: 'issuer-in-the-verifier',
    invariants: [1],
    protects: 'an auditor finds a decision of somebody who signed in elsewhere than the route asks for',
    edits: [
      {
        file: 'shared/audit/verify/route-problems.ts',
        from: 'route.issuer !== null && ',
        to: 'false && ',
      },
    ],
    tests: ['test/pure/audit/verify-route.test.ts'],
  },
  {
    name: 'claimed-groups-bind',
    invariants: [18],
    protects: 'a route asks for whoever a claim put into a group, and for nobody whom it took out',
    edits: [
      {
        file: 'shared/flow/account/sign-in-elsewhere.ts',
        from: "  await shareGroups(query, { organization_id, tenantIds, author: { source: 'issuer' } })\n}",
        to: '}',
      },
    ],
    tests: ['test/service/account/shared-groups.test.ts'],
  },
  {
    name: 'who-left-is-in-no-group',
    invariants: [18],
    protects: 'a group that nobody is left in says so, instead of counting who left',
    edits: [
      {
        file: 'shared/flow/account/share-groups.ts',
        from: 'members.filter(({ holder }) => holder !== gone)',
        to: 'members',
      },
    ],
    tests: ['test/service/account/shared-groups.test.ts'],
  },
  {
    name: 'route-in-the-verifier',
    invariants: [1],
    protects: 'an auditor finds out that a group gave less than its own',
    edits: [
      {
        file: 'shared/audit/verify/check-authorisation.ts',
        from: '    routeProblem(told) ??\n',
        to: '',
      },
    ],
    tests: ['test/pure/audit/verify-route.test.ts'],
  },
]
