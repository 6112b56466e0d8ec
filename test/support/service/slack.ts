import { createHmac, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { SlackApp, SlackCode } from '../../../shared/contract/slack-schema.ts'
import type { Answer, Client } from './http.ts'
import type { Browser } from './owner.ts'

export const team = 'T024FJ2Q7'

/** The Slack app of a tenant, as Slack has it: it signs what it sends. */
export interface TestSlack {
  tenant_id: string
  secret: string
  /** Send a slash command of a user. */
  command<Body = { text: string }>(user: string, text: string, change?: Change): Promise<Answer<Body>>
  /** Press a button of a message. */
  press<Body = object>(user: string, button: Button, change?: Change): Promise<Answer<Body>>
}

export interface Button {
  action_id: string
  value?: string
}

/** What differs from what Slack sends. */
export interface Change {
  team?: string
  tenant_id?: string
  response_url?: string
  user_team?: string
  signing?: Partial<{ secret: string; at: number; body: string; signature: string }>
}

/** Register a Slack app as the owner of a tenant. */
export async function registerSlack(
  call: Client,
  browser: Browser,
  tenant_id: string,
  { team_id = team, secret = randomBytes(16).toString('hex') } = {},
): Promise<TestSlack> {
  const json = { team_id, signing_secret: secret }
  const path = `/v1/accounts/tenants/${tenant_id}/slack`
  const { status, body } = await browser.call<SlackApp>('PUT', path, { json })
  expect({ status, body }).toMatchObject({ status: 200, body: { team_id } })
  const app = { call, tenant_id, secret, team_id }
  return {
    tenant_id,
    secret,
    command: (user, text, change = {}) =>
      post(
        app,
        'commands',
        { team_id: change.team ?? team_id, user_id: user, command: '/gate', text },
        change,
      ),
    press: (user, button, change = {}) =>
      post(app, 'interactions', { payload: JSON.stringify(clickOf(app, user, button, change)) }, change),
  }
}

/** Link the account of a browser to a Slack user, as its person does. */
export async function linkSlack(
  { tenant_id, command }: TestSlack,
  browser: Browser,
  user: string,
): Promise<void> {
  const { body } = await browser.call<SlackCode>('POST', `/v1/accounts/tenants/${tenant_id}/slack/code`)
  expect((await command(user, body.code)).body.text).toMatch(/^Linked\./)
}

/** The headers that Slack would send with a body. */
export function signedHeaders(secret: string, body: string, at = Math.floor(Date.now() / 1000)) {
  const mac = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')
  return { 'x-slack-request-timestamp': String(at), 'x-slack-signature': `v0=${mac}` }
}

interface App {
  call: Client
  tenant_id: string
  secret: string
  team_id: string
}

async function post<Body>(
  { call, secret, ...app }: App,
  what: 'commands' | 'interactions',
  form: Record<string, string>,
  { tenant_id = app.tenant_id, signing = {} }: Change,
): Promise<Answer<Body>> {
  // Slack gives every request another trigger.
  const raw = String(new URLSearchParams({ ...form, trigger_id: randomBytes(8).toString('hex') }))
  const signed = signedHeaders(signing.secret ?? secret, raw, signing.at)
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...signed,
    ...(signing.signature === undefined ? {} : { 'x-slack-signature': signing.signature }),
  }
  return call<Body>('POST', `/v1/slack/${what}/${tenant_id}`, { raw: signing.body ?? raw, headers })
}

function clickOf({ team_id }: App, user: string, button: Button, change: Change): object {
  const { team: given = team_id, response_url } = change
  return {
    type: 'block_actions',
    team: { id: given, domain: 'example' },
    user: { id: user, username: 'ann', team_id: change.user_team ?? given },
    api_app_id: 'A02',
    container: { type: 'message', message_ts: '1795640400.000200', channel_id: 'C1' },
    ...(response_url === undefined ? {} : { response_url }),
    actions: [{ type: 'button', block_id: 'b', ...button, action_ts: '1795640401.000100' }],
  }
}
