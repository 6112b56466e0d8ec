import { sha256 } from '../../canon/digest.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { openValue } from '../../runtime/secrets/sealed-value.ts'
import { isSignedBySlack, type SignedBody, slackAgeMsMax } from '../../runtime/secrets/secret.ts'
import { keepSlackRequest, readSlackApp, type StoredSlackApp } from '../../store/tenant/slack-rows.ts'
import type { Context } from '../core/context.ts'
import { secretPlace } from './slack-app.ts'

export type { SignedBody }

export interface SlackRequest {
  tenant_id: string
  signed: SignedBody
}

/**
 * Returns the tenant's Slack app if it signed this request just now and for the first time
 * (specification.md#decisions-in-slack). A tenant without an app gets the answer of a bad signature. Throws
 * `slack_request_refused`.
 */
export async function verifiedApp(
  { store, webhookKey }: Context,
  { tenant_id, signed }: SlackRequest,
): Promise<StoredSlackApp> {
  const app = await store.look([tenant_id], query => readSlackApp(query, tenant_id))
  const secret = app && webhookKey && openValue(webhookKey, secretPlace(tenant_id), app.sealed_secret)
  if (!secret || !isSignedBySlack(secret, signed, app.now_ms)) throw new ServiceError('slack_request_refused')
  const request = { tenant_id, request_hash: sha256(signed.signature), ms: 2 * slackAgeMsMax }
  if (!(await store.change([tenant_id], query => keepSlackRequest(query, request))))
    throw new ServiceError('slack_request_refused', 'this request came before')
  return app
}

/** Refuses other workspaces, because an app in several has one signing secret for all of them. */
export function refuseOtherTeam(
  { team_id }: StoredSlackApp,
  ...given: readonly (string | undefined)[]
): void {
  if (given.some(team => team !== undefined && team !== team_id))
    throw new ServiceError('slack_request_refused', 'the request is of another workspace')
}
