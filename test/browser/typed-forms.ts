import { formsOfHeld, formsOfOperators, formsOfTools } from './typed-forms-inside.ts'
import { type Form, press } from './typing.ts'
import type { Stage } from './typing-stage.ts'

/** Forms whose fields are typed by another test, or that send nothing that is kept. */
export const typedElsewhere: Readonly<Record<string, string>> = {
  'app/policy/condition-form.tsx': 'typing-policy',
  'app/policy/dry-run.tsx': 'decides about a proposal, and nothing is kept',
  'app/policy/policy-edit.tsx': 'typing-policy',
  'app/policy/policy-form.tsx': 'typing-policy',
  'app/onboarding/sign-up-page.tsx': 'goes to an issuer with the name: issuer-journey',
  'admin/tenants/tenants-page.tsx': 'finds among what is shown',
  'panels/catalog-view.tsx': 'finds among what is shown',
  'panels/trace/verify-here.tsx': 'proves in the browser, and nothing is kept',
}

const password = 'a long phrase nobody guesses'

/** Every form; `mark` tells apart what is typed at one speed from what is typed at another. */
export function formsOf(stage: Stage): Form[] {
  return [
    ...outside(stage),
    ...ofOwners(stage),
    ...ofPeople(stage),
    ...formsOfTools(stage),
    ...formsOfHeld(stage),
    ...formsOfOperators(stage),
  ]
}

function outside({ mark, owner, canSignIn, reset, invitation, mailed, approverKey }: Stage): Form[] {
  const at = `${mark}@a.org`
  return [
    {
      files: ['app/onboarding/sign-up-form.tsx', 'app/account/password-field.tsx'],
      as: 'nobody',
      at: '/app/signup',
      parts: [
        {
          typed: [
            ['E-mail', at],
            ['Password', password],
            ['Organization', mark],
          ],
          send: 'Enter',
        },
      ],
      stored: () => canSignIn({ email: at, password }),
      has: { organization: { name: mark } },
    },
    {
      files: ['app/account/sign-in-form.tsx'],
      as: 'nobody',
      at: '/app/login?back=/account',
      parts: [
        {
          typed: [
            ['E-mail', owner.email],
            ['Password', owner.password],
          ],
          send: 'Enter',
        },
      ],
      stored: 'page',
      has: { path: '/app/account' },
    },
    {
      files: ['app/account/forgot-page.tsx'],
      as: 'nobody',
      at: '/app/forgot',
      parts: [{ typed: [['E-mail', owner.email]], send: 'Enter' }],
      stored: mailed,
      has: { recipients: [owner.email] },
    },
    {
      files: ['app/account/reset-page.tsx'],
      as: 'nobody',
      at: reset,
      parts: [{ typed: [['Password', `${mark} is long enough`]], send: 'Enter' }],
      stored: () => canSignIn({ email: `reset-${mark}@a.org`, password: `${mark} is long enough` }),
      has: { account: { email: `reset-${mark}@a.org` } },
    },
    {
      files: ['app/members/invitation-page.tsx'],
      as: 'nobody',
      at: invitation,
      parts: [
        {
          typed: [
            ['E-mail', `i${at}`],
            ['Password', password],
          ],
          send: 'Enter',
        },
      ],
      stored: () => canSignIn({ email: `i${at}`, password }),
      has: { account: { email: `i${at}` } },
    },
    {
      files: ['panels/keys/unlock-page.tsx'],
      as: 'nobody',
      at: '/approve',
      parts: [{ typed: [['Approver key', approverKey]], send: 'Enter' }],
      stored: 'page',
      has: { heading: 'Approvals' },
    },
  ]
}

function ofOwners({ mark, owner, app, issuer }: Stage): Form[] {
  const agent = owner.agent.split('.')[0] ?? ''
  const slackSecret = mark.slice(1).padStart(32, '0')
  const of = (rest: string) => `/app/a/${owner.tenant_id}${rest}`
  return [
    {
      files: ['app/onboarding/new-application.tsx'],
      as: 'owner',
      at: '/app/applications',
      parts: [press('New application'), { typed: [['Name', `app ${mark}`]], send: 'Enter' }],
      stored: '/v1/accounts/tenants',
      has: { name: `app ${mark}` },
    },
    {
      files: ['panels/keys/mint-key-form.tsx'],
      as: 'owner',
      at: of('/keys'),
      parts: [
        press('New key'),
        {
          typed: [
            ['Name', mark],
            ['Auditor', null],
            ['Expires', 'i'],
          ],
          send: 'Make key',
        },
      ],
      stored: owner.path('/api-keys'),
      has: { name: mark, scope: 'auditor' },
    },
    {
      files: ['app/grants/grant-form.tsx', 'app/grants/revoke-grant.tsx'],
      as: 'owner',
      at: of('/grants'),
      parts: [
        press('New grant'),
        {
          typed: [
            ['Agent key', agent],
            ['System', 'payments'],
            ['Operation', 'refund'],
            ['Risk at most', 'hi'],
            ['Bounds', '{"amount":{"max":7}}'],
            ['Uses', '3'],
            ['Hours', '2'],
            ['Why', mark],
          ],
          send: 'Enter',
        },
        press('Revoke grt_'),
        { typed: [['Why', `off ${mark}`]], send: 'Revoke grant' },
      ],
      stored: owner.path('/grants'),
      has: { status: 'revoked' },
      sent: {
        grant: {
          key_id: agent,
          system: 'payments',
          operation: 'refund',
          risk_max: 'high',
          constraints: { amount: { max: 7 } },
          uses_max: 3,
          note: mark,
        },
        revocation: { reason: `off ${mark}` },
      },
    },
    {
      files: ['app/review/group-form.tsx', 'app/review/name-field.tsx'],
      as: 'owner',
      at: of('/routes'),
      parts: [
        press('New group'),
        {
          typed: [
            ['Name of the group', `g${mark}`],
            [owner.email, null],
          ],
          send: 'Save group',
        },
      ],
      stored: owner.path('/groups'),
      has: { name: `g${mark}`, members: [{ account_id: owner.account_id }] },
    },
    {
      files: ['app/review/route-form.tsx'],
      as: 'owner',
      at: of('/routes'),
      parts: [
        press('New route'),
        {
          typed: [
            ['Name of the route', `r${mark}`],
            ['How many', '2'],
            ['Of the group', 'beta-t'],
            ['Hours to decide', '4'],
            ['Who helps', 'alp'],
            ['Hours before', '', '1'],
            ['Signed in at', issuer],
          ],
          send: 'Enter',
        },
      ],
      stored: owner.path('/routes'),
      has: {
        name: `r${mark}`,
        required: [{ group: 'beta-two', approvals: 2 }],
        decide_within_ms: 14_400_000,
        escalate: { group: 'alpha', after_ms: 3_600_000 },
        issuer,
      },
    },
    {
      files: ['app/review/slack-card.tsx'],
      as: 'owner',
      at: of('/routes'),
      parts: [
        {
          typed: [
            ['Workspace id', `T0${mark.toUpperCase()}`],
            ['Signing secret', slackSecret],
          ],
          send: 'Enter',
        },
      ],
      stored: owner.path('/slack'),
      has: { team_id: `T0${mark.toUpperCase()}` },
      sent: { slack: { signing_secret: slackSecret } },
    },
    {
      files: ['app/notices/notice-form.tsx'],
      as: 'owner',
      at: of('/notices'),
      parts: [
        press('New notice'),
        {
          typed: [
            ['How', 'e'],
            ['E-mail address', `${mark}@n.org`],
            ['Remind while', '60, 90'],
            ['Note', mark],
          ],
          send: 'Enter',
        },
      ],
      stored: owner.path('/webhooks'),
      has: { url: `mailto:${mark}@n.org`, remind_after_ms: [3_600_000, 5_400_000], description: mark },
    },
    {
      files: ['app/catalog/catalog-edit.tsx', 'app/policy/save-dialog.tsx'],
      as: 'owner',
      at: async () => `/app/a/${await app()}/catalog?tab=edit`,
      parts: [
        { typed: [['Catalog as JSON', '{"operations":[]} ']], send: 'Save…' },
        { typed: [['Why', mark]], send: 'Save' },
      ],
      stored: '/v1/accounts/tenants/{tenant}/catalog/revisions',
      has: { change_note: mark },
    },
    {
      files: ['app/parts/add-name.tsx'],
      as: 'owner',
      at: async () => `/app/a/${await app()}/policy?tab=edit`,
      parts: [
        { typed: [['Add a system', `s${mark}`]], send: 'Enter' },
        press('Save…'),
        { typed: [['Why', mark]], send: 'Save' },
      ],
      stored: '/v1/accounts/tenants/{tenant}/policy',
      has: { allowed_systems: ['helpdesk', 'payments', `s${mark}`] },
    },
    {
      files: ['app/history/history-filters.tsx'],
      as: 'owner',
      at: of('/history'),
      parts: [
        {
          typed: [
            ['Search', mark],
            ['Agent', 'a1'],
            ['Status', 'de'],
            ['From', '11112026', '2026-11-11'],
          ],
          send: 'Save as JSON',
          backwards: true,
        },
      ],
      stored: 'page',
      has: { q: mark, agent: 'a1', status: 'denied', from: '2026-11-11' },
      sent: { history: { search: mark, agent_id: 'a1', status: 'denied', limit: '200' } },
    },
  ]
}

function ofPeople({ mark, member }: Stage): Form[] {
  return [
    {
      files: ['app/members/invite-member.tsx', 'app/members/grants-fields.tsx'],
      as: 'owner',
      at: '/app/members',
      parts: [
        press('Invite'),
        {
          typed: [
            ['Whom it is for', mark],
            ['Owner of the organization', null],
          ],
          send: 'Make link',
        },
      ],
      stored: '/v1/accounts/invitations',
      has: { label: mark, owner: true },
    },
    {
      files: ['app/members/change-member.tsx'],
      as: 'owner',
      at: '/app/members',
      parts: [press(`Roles of ${member.email}`), { typed: [['Auditor', null]], send: 'Save roles' }],
      stored: '/v1/accounts/members',
      has: { account: { email: member.email }, roles: [{ role: 'auditor' }] },
    },
    {
      files: ['app/members/groups-card.tsx'],
      as: 'owner',
      at: '/app/members',
      parts: [
        { typed: [['New group', `one-${mark}`]], send: 'Enter' },
        { typed: [['New group', `two-${mark}`]], send: 'Make group' },
      ],
      stored: '/v1/accounts/groups',
      has: { name: `two-${mark}` },
    },
  ]
}
