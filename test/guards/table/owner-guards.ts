import { baseline, type Guard } from '../guard.ts'

const rows = ['test/service/account/hosted-rows.test.ts']
const members = ['test/service/account/members.test.ts']
const limits = ['test/service/account/hosted-limits.test.ts']
const approvals = ['test/service/approval/hosted-approvals.test.ts']

/** Owners in a browser: whose session it is, what is theirs, and that nobody guesses or forges. */
export const ownerGuards: readonly Guard[] = [
  {
    name: 'owner-of-the-tenant',
    invariants: [17],
    protects: 'an owner finds the applications of their organization alone',
    edits: [
      {
        file: 'shared/store/account/session-rows.ts',
        from: 'where o.tenant_id = $2 and o.organization_id = a.organization_id) as tenant_roles',
        to: 'where o.tenant_id = $2) as tenant_roles',
      },
    ],
    tests: rows,
  },
  {
    name: 'row-level-security-of-owners',
    invariants: [17],
    protects: 'a query that forgets its tenant sees no other owner',
    edits: [
      {
        file: baseline.guards,
        from: "'unsigned_reports', 'tenant_owners', ",
        to: "'unsigned_reports', ",
      },
    ],
    tests: ['test/store/row-level-security.test.ts'],
  },
  {
    name: 'pushed-to-who-decides',
    invariants: [18],
    protects: 'whose role is gone or whose key is revoked is shown nothing more in the browser',
    edits: [
      {
        file: 'shared/flow/webhook/send-push.ts',
        from: 'if (!(await mayDecideHere(context, due))) {',
        to: 'if (!(await mayDecideHere(context, due)) && due.subscriber === null) {',
      },
    ],
    tests: ['test/service/webhook/push.test.ts'],
    named: 'nothing is sent|as long as the role',
  },
  {
    name: 'forged-requests',
    invariants: [18],
    protects: 'a write shows the token that only pages of the service know',
    edits: [
      {
        file: 'api/http/admit-session.ts',
        from: "refuseWithout(request.get('x-service-csrf'), csrfToken)",
        to: '',
      },
    ],
    tests: rows,
  },
  {
    name: 'other-sites',
    invariants: [18],
    protects: 'pages of other sites make no browser write',
    edits: [
      {
        file: 'api/http/same-site.ts',
        from: "if (!ownOrigin || !ownSite) throw new ServiceError('cross_site_request')",
        to: 'void [ownOrigin, ownSite]',
      },
    ],
    tests: rows,
  },
  {
    name: 'live-session-in-decision',
    invariants: [18],
    protects: 'a session that is of another organization or over decides nothing',
    edits: [
      {
        file: 'shared/flow/core/change-action.ts',
        from: 'await holdSession(writer, decider.session_hash, { tenant_id, roles })',
        to: "holdSession.length > 0 ? 'acc' : null",
      },
    ],
    tests: approvals,
  },
  {
    name: 'session-held-to-the-commit',
    invariants: [18],
    protects: 'no session ends between the look at it and the decision made with it',
    edits: [{ file: 'shared/store/account/session-rows.ts', from: '\nfor share of s`', to: '`' }],
    tests: approvals,
  },
  {
    name: 'roles-of-a-row',
    invariants: [17],
    protects: 'a member does what a role of theirs may, and nothing else',
    edits: [
      {
        file: 'api/http/admit-session.ts',
        from: 'if (roles === undefined || roles.some(role => own.includes(role))) return',
        to: 'if (roles === undefined || own.length > 0) return',
      },
    ],
    tests: ['test/service/account/member-roles.test.ts'],
  },
  {
    name: 'the-last-owner-stays',
    invariants: [17],
    protects: 'an organization has somebody who manages it',
    edits: [
      {
        file: 'shared/flow/account/members.ts',
        from: "if (owners < 2) throw new ServiceError('last_owner')",
        to: 'void owners',
      },
    ],
    tests: members,
  },
  {
    name: 'credentials-before-the-organization',
    invariants: [18],
    protects: 'somebody who is removed while they work waits for nobody who waits for them',
    edits: [
      {
        file: 'shared/flow/account/change-organization.ts',
        from: 'if (ending !== null) await lockCredentials(query, scope, ending)',
        to: '',
      },
    ],
    tests: ['test/service/account/ends-while-busy.test.ts'],
  },
  {
    name: 'holds-take-turns',
    invariants: [18],
    protects: 'somebody who works without a pause is ended all the same',
    edits: [
      {
        file: 'shared/store/account/operator-rows.ts',
        from: 'await lockFairly(query, sql',
        to: 'void (sql',
      },
    ],
    tests: ['test/service/account/ends-while-busy.test.ts'],
  },
  {
    name: 'sessions-go-with-a-role',
    invariants: [18],
    protects: 'nothing is decided in a session by a role that is gone',
    edits: [
      {
        file: 'shared/flow/account/members.ts',
        from: 'losesRole(before, after) ? await endAllSessions(query, accountId) : 0',
        to: '0',
      },
    ],
    tests: members,
  },
  {
    name: 'keys-go-with-a-role',
    invariants: [17],
    protects: 'a role that a session has no more does not go on with a key',
    edits: [
      {
        file: 'shared/flow/account/change-organization.ts',
        from: 'keyRoles.filter(isLost)',
        to: '[]',
      },
    ],
    tests: members,
  },
  {
    name: 'a-claim-of-its-own-organization',
    invariants: [17],
    protects: 'a claim puts nobody into a group of another organization',
    edits: [
      {
        file: 'shared/flow/account/sign-in-elsewhere.ts',
        from: 'return name !== undefined && organization === organization_id ? [name] : []',
        to: 'return name !== undefined && organization !== undefined ? [name] : []',
      },
    ],
    tests: ['test/service/account/groups.test.ts'],
  },
  {
    name: 'a-logout-token-counts-once',
    invariants: [18],
    protects: 'who sees a logout token ends no later session with it',
    edits: [
      {
        file: 'shared/flow/account/end-at-issuer.ts',
        from: "if (!(await keepLogoutToken(query, token))) throw new ServiceError('logout_refused')",
        to: 'await keepLogoutToken(query, token)',
      },
    ],
    tests: ['test/service/account/end-at-issuer.test.ts'],
  },
  {
    name: 'tries-before-the-password',
    invariants: [18],
    protects: 'a right password beyond the limit does not get in',
    edits: [
      {
        file: 'shared/flow/account/begin-session.ts',
        from: '  await attempts.spend(subject)\n',
        to: '',
      },
    ],
    tests: limits,
  },
  {
    name: 'known-browser-knows-its-account',
    invariants: [18],
    protects: 'an account under somebody else’s address buys no tries at theirs',
    edits: [
      {
        file: 'shared/flow/account/log-in.ts',
        from: '  if (known !== null && account?.account_id !== known) await attempts.spend(anybody)\n',
        to: '',
      },
    ],
    tests: limits,
  },
  {
    name: 'no-twin-joins',
    invariants: [1],
    protects: 'nobody joins an organization under the name of a member, or one that looks like it',
    edits: [
      {
        file: 'shared/flow/account/invitations.ts',
        from: 'if (members.some(member => lookAlike(member.email, email)))',
        to: "if (members.some(() => email === ''))",
      },
    ],
    tests: ['test/service/account/invitations.test.ts'],
  },
]
