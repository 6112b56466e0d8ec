import type { Guard } from '../guard.ts'

const tests = ['test/service/approval/slack.test.ts']
const signature = 'shared/runtime/secrets/secret.ts'
const request = 'shared/flow/slack/verified-request.ts'

/** Guards of decisions that are made in Slack. */
export const slackGuards: readonly Guard[] = [
  {
    name: 'slack-signature',
    invariants: [1],
    protects: 'nobody decides but whom Slack names under the signing secret of the tenant',
    edits: [{ file: signature, from: 'return isOurs && Math.abs', to: 'return Math.abs' }],
    tests,
    named: 'is not of the Slack app',
  },
  {
    name: 'slack-time',
    invariants: [1],
    protects: 'a request of Slack that is old decides nothing',
    edits: [{ file: signature, from: '<= slackAgeMsMax', to: '>= 0' }],
    tests,
    named: 'is not of the Slack app',
  },
  {
    name: 'slack-once',
    invariants: [1],
    protects: 'a request of Slack that comes again is refused',
    edits: [
      {
        file: request,
        from: 'if (!(await store.change([tenant_id], query => keepSlackRequest(query, request))))',
        to: "if (!(await store.change([tenant_id], query => keepSlackRequest(query, request))) && tenant_id === '')",
      },
    ],
    tests,
    named: 'is not of the Slack app',
  },
  {
    name: 'slack-workspace',
    invariants: [1],
    protects: 'an app that is in other workspaces decides for the registered one alone',
    edits: [
      {
        file: request,
        from: 'team !== undefined && team !== team_id',
        to: "team === '' && team !== team_id",
      },
    ],
    tests,
    named: 'another workspace',
  },
  {
    name: 'slack-answers-to-slack',
    invariants: [1],
    protects: 'no address that a request names is called, but Slack itself',
    edits: [
      {
        file: 'shared/flow/slack/answer-in-slack.ts',
        from: 'if (url && isOfSlack) return url',
        to: 'if (url) return url',
      },
    ],
    tests,
    named: 'its answer is to go',
  },
  {
    name: 'live-link-in-decision',
    invariants: [18],
    protects: 'a Slack user who is linked to nobody with a role decides nothing',
    edits: [
      {
        file: 'shared/flow/core/change-action.ts',
        from: 'return isLinked ? holderOf({ account_id }) : undefined',
        to: 'return isLinked !== undefined ? holderOf({ account_id }) : undefined',
      },
    ],
    tests,
    named: 'a member who is linked',
  },
  {
    name: 'links-go-with-a-role',
    invariants: [18],
    protects: 'whoever loses a role decides nothing in Slack any more',
    edits: [
      {
        file: 'shared/flow/account/change-organization.ts',
        from: 'loses ? await endSlackLink(',
        to: 'false ? await endSlackLink(',
      },
    ],
    tests,
    named: 'a member who is linked',
  },
  {
    name: 'link-in-the-database',
    invariants: [1],
    protects: 'the database takes no decision in Slack of somebody who is not linked',
    edits: [
      {
        file: 'drizzle/0002_guards.sql',
        from: 'IF via IS NULL OR EXISTS (',
        to: 'IF true OR EXISTS (',
      },
    ],
    tests: ['test/service/approval/slack-links.test.ts'],
    named: 'what is kept of Slack',
  },
  {
    name: 'slack-in-the-verifier',
    invariants: [1],
    protects: 'an auditor finds out that a decision does not say who made it in Slack',
    edits: [
      { file: 'shared/audit/verify/check-authorisation.ts', from: ' ??\n    viaProblem(told)', to: '' },
    ],
    tests: ['test/pure/audit/verify-via.test.ts'],
  },
]
