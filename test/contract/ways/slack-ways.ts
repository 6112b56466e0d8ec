import type { ErrorCode } from '../../../shared/contract/base/errors.ts'
import { signUp } from '../../support/service/owner.ts'
import { registerSlack, signedHeaders } from '../../support/service/slack.ts'
import type { Operation } from '../contract-document.ts'
import { validRequest } from '../valid-request.ts'
import type { Stage, Way } from './way.ts'

export const slackErrorWays: Partial<Record<ErrorCode, Way>> = {
  slack_app_not_found: (operation, { world: { known, tenant } }) => ({
    asked: validRequest(operation, {
      ...known,
      ownParams: {},
      params: { ...known.params, tenant_id: tenant.id },
    }),
  }),
  slack_request_refused: (operation, { world }) => ({ asked: validRequest(operation, world.known) }),
}

/** How to come to the answers of Slack: what it sends is signed by the app of a tenant of its own. */
export const slackWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  decide_in_slack: { 200: signed },
  command_in_slack: { 200: signed },
  put_slack_app: {
    webhooks_not_configured: (operation, { world, refusing }) => ({
      asked: validRequest(operation, world.known),
      url: refusing.unkeyed,
    }),
  },
  unlink_slack: {
    identity_not_found: (operation, { world: { known, tenant } }) => ({
      asked: validRequest(operation, {
        ...known,
        ownParams: {},
        params: { ...known.params, tenant_id: tenant.id },
      }),
    }),
  },
}

async function signed(operation: Operation, { world }: Stage) {
  const { call } = world.service
  const { browser, tenant_id } = await signUp(call)
  const { secret } = await registerSlack(call, browser, tenant_id)
  const asked = validRequest(operation, { ...world.known, params: { tenant_id } })
  return { asked: { ...asked, headers: { ...asked.headers, ...signedHeaders(secret, String(asked.body)) } } }
}
