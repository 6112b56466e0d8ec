import type { OwnerPrincipal } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { SlackApp, SlackAppRequest, SlackState } from '../../contract/slack-schema.ts'
import { sealValue } from '../../runtime/secrets/sealed-value.ts'
import {
  deleteSlackApp as deleteStored,
  findSlackLink,
  readSlackApp,
  type StoredSlackApp,
  writeSlackApp,
} from '../../store/tenant/slack-rows.ts'
import { linkView } from '../account/slack-links.ts'
import { type ConfigOutcome, changeConfig } from '../core/change-config.ts'
import { callableUrl } from '../core/configured.ts'
import type { Context } from '../core/context.ts'

export async function readSlack(
  context: Context,
  { tenant_id, account_id }: OwnerPrincipal,
): Promise<SlackState> {
  return context.store.look([tenant_id], async query => {
    const app = await readSlackApp(query, tenant_id)
    const link = app && (await findSlackLink(query, { tenant_id, account_id }))
    return { app: app && slackAppView(context, app), link: link && linkView(app, link) }
  })
}

/** Registers or replaces a tenant's Slack app: its signing secret is sealed, and every link ends. */
export async function putSlackApp(
  context: Context,
  tenantId: string,
  { request, author }: { request: SlackAppRequest; author: Author },
): Promise<SlackApp> {
  const { webhookKey } = context
  if (!webhookKey)
    throw new ServiceError('webhooks_not_configured', 'set SERVICE_WEBHOOK_KEY for API and workers')
  const { team_id, signing_secret } = request
  const sealed_secret = sealValue(webhookKey, secretPlace(tenantId), signing_secret)
  return changeConfig(context, tenantId, author, async query => {
    const stored = await writeSlackApp(query, { tenant_id: tenantId, team_id, sealed_secret })
    return changed(context, 'registered', stored)
  })
}

/** Removes the Slack app of a tenant with every link. Throws `slack_app_not_found`. */
export async function deleteSlackApp(context: Context, tenantId: string, author: Author): Promise<SlackApp> {
  return changeConfig(context, tenantId, author, async query => {
    const stored = await deleteStored(query, tenantId)
    if (!stored) throw new ServiceError('slack_app_not_found')
    return changed(context, 'removed', stored)
  })
}

function changed(
  context: Context,
  change: 'registered' | 'removed',
  stored: StoredSlackApp,
): ConfigOutcome<SlackApp> {
  const payload: JsonObject = { change, team_id: stored.team_id }
  return { answer: slackAppView(context, stored), entry: { kind: 'slack_app', payload } }
}

export function secretPlace(tenantId: string) {
  return { purpose: 'gate/slack-signing-secret/v1', row: tenantId } as const
}

export function slackAppView(context: Context, stored: StoredSlackApp): SlackApp {
  const { tenant_id, team_id, registered_at } = stored
  const at = (what: string) => `${callableUrl(context)}/v1/slack/${what}/${tenant_id}`
  return {
    tenant_id,
    team_id,
    registered_at: registered_at.toISOString(),
    interactions_url: at('interactions'),
    commands_url: at('commands'),
  }
}
