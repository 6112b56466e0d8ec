import type { OwnerPrincipal } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { SlackCode, SlackLink } from '../../contract/slack-schema.ts'
import { hashSecret, newToken } from '../../runtime/secrets/secret.ts'
import type { Query } from '../../store/postgres/open.ts'
import {
  deleteSlackLink,
  findSlackLink,
  type LinkRef,
  linkByCode,
  linkedTenants,
  readSlackApp,
  type StoredSlackApp,
  type StoredSlackLink,
  writeSlackCode,
} from '../../store/tenant/slack-rows.ts'
import { type ConfigEntry, changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'

/** Creates a code that links the Slack user who sends it. Throws `slack_app_not_found`. */
export async function makeSlackCode(
  context: Context,
  { tenant_id, account_id }: OwnerPrincipal,
): Promise<SlackCode> {
  const code = newToken()
  const expires_at = await context.store.change([tenant_id], async query => {
    if (!(await readSlackApp(query, tenant_id))) throw new ServiceError('slack_app_not_found')
    const ms = limits.slack_code_ms
    return writeSlackCode(query, { tenant_id, account_id, code_hash: hashSecret(code), ms })
  })
  return { code, expires_at: expires_at.toISOString() }
}

/** Ends a member's link and pending code. Throws `identity_not_found`. */
export async function unlinkSlack(context: Context, member: OwnerPrincipal): Promise<SlackLink> {
  const { tenant_id, account_id } = member
  return changeConfig(context, tenant_id, member, async query => {
    const ended = await endSlackLink(query, { tenant_id, account_id })
    if (!ended) throw new ServiceError('identity_not_found', 'your account is linked to no Slack user here')
    return { answer: linkView(ended.app, ended.link), entry: ended.entry }
  })
}

export type Linked = { linked: StoredSlackLink } | { refused: 'bad_code' | 'other_account' }

/** Links the Slack user who sent a code to the account that made it; neither may have another link. */
export async function linkSlackUser(
  context: Context,
  app: StoredSlackApp,
  { user_id, code }: { user_id: string; code: string },
): Promise<Linked> {
  const { tenant_id } = app
  return changeConfig<Linked>(context, tenant_id, { source: 'slack' }, async query => {
    const before = await findSlackLink(query, { tenant_id, user_id })
    if (before) return { answer: { refused: 'other_account' } }
    const account_id = await linkByCode(query, { tenant_id, user_id, code_hash: hashSecret(code) })
    const linked = account_id && (await findSlackLink(query, { tenant_id, account_id }))
    if (!linked) return { answer: { refused: 'bad_code' } }
    return { answer: { linked }, entry: linkEntry('linked', app, linked) }
  })
}

/** Ends the link of a Slack user; returns false if there was none. */
export async function unlinkSlackUser(
  context: Context,
  app: StoredSlackApp,
  user_id: string,
): Promise<boolean> {
  const { tenant_id } = app
  return changeConfig(context, tenant_id, { source: 'slack' }, async query => {
    const link = await findSlackLink(query, { tenant_id, user_id })
    const ended = link && (await endSlackLink(query, { tenant_id, account_id: link.account_id }))
    return ended ? { answer: true, entry: ended.entry } : { answer: false }
  })
}

export interface EndedLink {
  app: StoredSlackApp
  link: StoredSlackLink
  entry: ConfigEntry
}

/** Ends an account's link and code in a locked tenant; null if there was no link. */
export async function endSlackLink(query: Query, ref: LinkRef): Promise<EndedLink | null> {
  const app = await readSlackApp(query, ref.tenant_id)
  const link = app && (await findSlackLink(query, ref))
  await deleteSlackLink(query, ref)
  return link && { app, link, entry: linkEntry('unlinked', app, link) }
}

/** Ends an account's links in every application, so that a person who leaves can no longer decide in Slack. */
export async function endSlackLinks(
  context: Context,
  account_id: string,
  authorIn: (tenantId: string) => Author,
): Promise<void> {
  const tenants = await context.store.look('all', query => linkedTenants(query, account_id))
  for (const tenant_id of tenants) {
    await changeConfig(context, tenant_id, authorIn(tenant_id), async query => {
      const ended = await endSlackLink(query, { tenant_id, account_id })
      return { answer: undefined, ...(ended ? { entry: ended.entry } : {}) }
    })
  }
}

function linkEntry(
  change: 'linked' | 'unlinked',
  { team_id }: StoredSlackApp,
  { account_id, user_id }: StoredSlackLink,
): ConfigEntry {
  return { kind: 'slack_link', payload: { change, account_id, team_id, user_id } }
}

export function linkView({ team_id }: StoredSlackApp, { user_id, linked_at }: StoredSlackLink): SlackLink {
  return { team_id, user_id, linked_at: linked_at.toISOString() }
}
