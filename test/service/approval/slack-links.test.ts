import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { SlackCode, SlackState } from '../../../shared/contract/slack-schema.ts'
import { changeTogether } from '../../../shared/flow/core/change-action.ts'
import { reject } from '../../../shared/lifecycle/decide.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import type { TestMember } from '../../support/service/member.ts'
import type { TestOwner } from '../../support/service/owner.ts'
import type { TestService } from '../../support/service/service.ts'
import { linkSlack, registerSlack, type TestSlack, team } from '../../support/service/slack.ts'
import { ann, bob, slackBed } from '../../support/service/slack-bed.ts'
import type { TestTenant } from '../../support/service/tenant.ts'
import { holdPayment } from '../../support/service/webhook-bed.ts'

let service: TestService
let owner: TestOwner
let member: TestMember
let tenant: TestTenant
let slack: TestSlack
const { answered, press, path, statusOf } = slackBed(stage => {
  ;({ service, owner, member, tenant, slack } = stage)
})

describe('a Slack user who is nobody’s identity', () => {
  it('reads how to be linked, and decides nothing', async () => {
    const id = await holdPayment(tenant)
    await press('U0EVE', id, 'approve')
    const answer = await answered()
    expect(answer).toEqual({
      response_type: 'ephemeral',
      replace_original: false,
      text: expect.stringMatching(/^Your Slack user is linked to no account\. Sign in/),
    })
    expect((await tenant.trace(id)).events.map(({ kind }) => kind)).toEqual(['proposal_received', 'verdict'])
    expect((await slack.command('U0EVE', '')).body.text).toBe(answer.text)
  })

  const codeOf = async ({ browser }: Pick<TestMember, 'browser'>) =>
    (await browser.call<SlackCode>('POST', path('/slack/code'))).body.code

  it('is linked by a code once, until ten minutes are over', async () => {
    const late = await codeOf(member)
    await asSuperuser(
      service.database,
      `update action_gate.slack_links set code_expires_at = now() - interval '1 ms' where code_hash is not null and tenant_id = '${tenant.id}'`,
    )
    expect((await slack.command('U0EVE', late)).body.text).toMatch(/^Nobody was linked: the code/)
    const replaced = await codeOf(member)
    const good = await codeOf(member)
    expect((await slack.command('U0EVE', replaced)).body.text).toMatch(/^Nobody was linked: the code/)
    expect((await slack.command('U0EVE', ` ${good} `)).body.text).toBe(
      `Linked. Your buttons decide as ${member.email} now.`,
    )
    expect((await slack.command('U0MAX', good)).body.text).toMatch(/^Nobody was linked: the code/)
    expect((await slack.command('U0EVE', 'who')).body.text).toMatch(
      new RegExp(`^You decide as ${member.email}`),
    )
    expect((await slack.command(bob, '')).body.text).toMatch(/^Your Slack user is linked to no account/)
  })

  it('does not take the place of somebody who is linked', async () => {
    expect((await slack.command(ann, await codeOf(member))).body.text).toMatch(
      /^Nobody was linked: your Slack user/,
    )
    const { body } = await owner.browser.call<SlackState>('GET', path('/slack'))
    expect(body.link).toMatchObject({ team_id: team, user_id: ann })
  })

  it('is who ended the link, on either side, or whose app was replaced', async () => {
    const ended = await member.browser.call('DELETE', path('/slack/link'))
    expect(ended).toMatchObject({ status: 200, body: { user_id: bob } })
    expect((await slack.command(ann, 'Unlink')).body.text).toBe('Your link has ended.')
    await linkSlack(slack, owner.browser, ann)
    const replaced = await registerSlack(service.call, owner.browser, tenant.id)
    for (const user of [ann, bob])
      expect((await replaced.command(user, '')).body.text).toMatch(/^Your Slack user is linked to no account/)
    expect((await slack.command(ann, '')).status).toBe(401)
  })
})

describe('what is kept of Slack', () => {
  const recorded = (tenantId: string) =>
    asReader<{ kind: string; payload: object }>(
      service.context.store,
      `select e.kind, convert_from(p.payload, 'UTF8')::json as payload from config_events e join config_payloads p using (tenant_id, sequence)
       where e.tenant_id = '${tenantId}' and e.kind like 'slack%' order by e.sequence`,
    )

  it('is in the configuration’s events, without secret and code', async () => {
    await owner.browser.call('DELETE', path('/slack/link'))
    await owner.browser.call('DELETE', path('/slack'))
    const linked = { account_id: owner.account_id, team_id: team, user_id: ann }
    expect(await recorded(tenant.id)).toEqual([
      { kind: 'slack_app', payload: { change: 'registered', team_id: team } },
      { kind: 'slack_link', payload: { change: 'linked', ...linked } },
      {
        kind: 'slack_link',
        payload: { change: 'linked', account_id: member.account_id, team_id: team, user_id: bob },
      },
      { kind: 'slack_link', payload: { change: 'unlinked', ...linked } },
      { kind: 'slack_app', payload: { change: 'removed', team_id: team } },
    ])
  })

  it('says in which application a link ended, with the role there or the membership', async () => {
    const there = owner.tenant_id
    const roles = [tenant.id, there].map(tenant_id => ({ tenant_id, role: 'approver' }))
    const member_path = `/v1/accounts/members/${member.account_id}`
    const give = (json: object) => owner.browser.call('PUT', member_path, { json })
    expect((await give({ owner: false, roles })).status).toBe(200)
    await linkSlack(await registerSlack(service.call, owner.browser, there), member.browser, bob)

    expect((await give({ owner: false, roles: roles.slice(0, 1) })).status).toBe(200)
    const link = { account_id: member.account_id, team_id: team, user_id: bob }
    const [linked, unlinked] = (['linked', 'unlinked'] as const).map(change => ({
      kind: 'slack_link',
      payload: { change, ...link },
    }))
    expect((await recorded(there)).slice(1)).toEqual([linked, unlinked])
    expect((await slack.command(bob, '')).body.text).toMatch(/^You decide as/)

    expect((await give({ owner: true, roles: [] })).status).toBe(200)
    expect((await slack.command(bob, '')).body.text).toMatch(/^You decide as/)

    const removed = await owner.browser.call('POST', `${member_path}/remove`, { json: {} })
    expect(removed.status).toBe(200)
    expect((await recorded(tenant.id)).slice(2)).toEqual([linked, unlinked])
    expect(await recorded(there)).toHaveLength(3)
  })

  it('ends where its member leaves everywhere, and not with one session', async () => {
    const second = await service.call('POST', '/v1/accounts/login', {
      json: { email: member.email, password: member.password },
    })
    expect(second.status).toBe(200)
    expect((await slack.command(bob, '')).body.text).toMatch(/^You decide as/)
    const leave = (json: object) => member.browser.call('POST', '/v1/accounts/logout', { json })
    expect((await leave({ everywhere: true })).status).toBe(200)
    expect((await slack.command(bob, '')).body.text).toMatch(/^Your Slack user is linked to no account/)
    const { kind, payload } = (await recorded(tenant.id)).at(-1) ?? {}
    expect([kind, payload]).toMatchObject(['slack_link', { change: 'unlinked', user_id: bob }])
  })

  it('shows nobody the signing secret', async () => {
    const rows = await asReader<{ row: string }>(
      service.context.store,
      `select a::text as row from slack_apps a where tenant_id = '${tenant.id}'`,
    )
    const { text } = await owner.browser.call('GET', path('/slack'))
    expect(rows).toHaveLength(1)
    expect(JSON.stringify([rows, text, service.logged()])).not.toContain(slack.secret)
    expect(rows[0]?.row).not.toContain(Buffer.from(slack.secret).toString('hex'))
  })

  it('lets no event name somebody who is not linked', async () => {
    const id = await holdPayment(tenant)
    const forged = (via: JsonObject) => {
      const person = { id: owner.account_id, kind: 'owner' } as const
      const decide = reject(person, { note: null, name: owner.email, via })
      return changeTogether(service.context, { action_id: id, tenant_id: tenant.id, decide })
    }
    const told = { kind: 'slack', team_id: team, user_id: ann }
    for (const differing of [{ user_id: bob }, { team_id: 'T0OTHER' }, { kind: 'fax' }])
      await expect(forged({ ...told, ...differing })).rejects.toThrow(/nobody is linked/)
    expect(await statusOf(id)).toBe('pending_approval')
    expect(await forged(told)).toMatchObject({ ok: true })
  })
})
