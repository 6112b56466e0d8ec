import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { readTrustedKeys } from '../../../shared/audit/note/trusted-keys.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import type { AuditExport, DecisionResponse } from '../../../shared/contract/action/action.ts'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { asWriter } from '../../support/fixtures/ad-hoc.ts'
import type { Downstream } from '../../support/fixtures/http-downstream.ts'
import { makeWebhook } from '../../support/fixtures/webhook-receiver.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import type { TestMember } from '../../support/service/member.ts'
import type { TestOwner } from '../../support/service/owner.ts'
import type { TestService } from '../../support/service/service.ts'
import { type Button, signedHeaders, type TestSlack, team } from '../../support/service/slack.ts'
import { ann, bob, slackBed } from '../../support/service/slack-bed.ts'
import { proposal, type TestTenant } from '../../support/service/tenant.ts'
import { holdPayment, patient } from '../../support/service/webhook-bed.ts'

let service: TestService
let chat: Downstream
let owner: TestOwner
let member: TestMember
let tenant: TestTenant
let slack: TestSlack
const { start, posted, answered, buttonOf, answerAt, press, path, statusOf } = slackBed(stage => {
  ;({ service, chat, owner, member, tenant, slack } = stage)
})

type Blocks = { type: string; text?: { text: string }; elements?: (Button & { confirm: object })[] }[]
const buttonsOf = ({ blocks }: { blocks: Blocks }) =>
  blocks.find(({ type }) => type === 'actions')?.elements ?? []
const wordsOf = ({ blocks }: { blocks: Blocks }) => blocks.flatMap(({ text }) => (text ? [text.text] : []))

const makeChat = (workspace = team, change: object = {}) =>
  makeWebhook(service, tenant.id, {
    url: `${chat.url}/services/${workspace}/B0/tail`,
    format: 'slack',
    event_types: ['action.pending_approval'],
    ...change,
  })

const bodyOf = async (id: string, kind: string) => {
  const event = (await tenant.trace(id)).events.find(each => each.kind === kind)
  return event && { principal: event.principal, body: event.body }
}

describe('a message to Slack about a held action', () => {
  it('has two buttons that ask once more, and decide what was proposed', async () => {
    await makeChat()
    const id = await holdPayment(tenant)
    const [message] = await posted('/services/')
    const buttons = buttonsOf(message)
    expect(buttons.map(({ action_id }) => action_id)).toEqual(['approve', 'reject'])
    expect(buttons[0]).toMatchObject({
      value: (await buttonOf(id, 'approve')).value,
      confirm: expect.any(Object),
    })
    expect(JSON.stringify(message)).not.toContain('4711')
    await slack.press(
      ann,
      { action_id: 'approve', value: buttons[0]?.value ?? '' },
      { response_url: answerAt() },
    )
    expect((await tenant.settled(id)).status).toBe('executed')
  })

  it('has the same buttons as its reminder, which say so once it is decided', async () => {
    await makeChat(team, { event_types: ['action.reminder'], remind_after_ms: [1_000] })
    const id = await holdPayment(tenant)
    const [reminder] = await posted('/services/')
    expect(wordsOf(reminder)[0]).toBe('pay on crm still waits for a decision.')
    const [approve, refuse] = buttonsOf(reminder)
    expect(approve).toMatchObject(await buttonOf(id, 'approve'))
    expect(refuse).toMatchObject(await buttonOf(id, 'reject'))
    await owner.browser.call('POST', path(`/actions/${id}/reject`), { json: {} })
    await press(bob, id, 'approve')
    const answer = await answered()
    expect(wordsOf(answer).at(-1)).toMatch(/^Too late: the action is denied: rejected by /)
    expect(buttonsOf(answer)).toEqual([])
  })

  it.each([
    ['to another workspace', () => makeChat('T0OTHER')],
    [
      'where the app was removed',
      async () => {
        await makeChat()
        expect((await owner.browser.call('DELETE', path('/slack'))).status).toBe(200)
      },
    ],
  ])('has no buttons %s', async (_where, prepare) => {
    await prepare()
    await holdPayment(tenant)
    const [message] = await posted('/services/')
    expect(buttonsOf(message)).toEqual([])
  })
})

describe('a member who is linked', () => {
  it('approves by a button as by a session, and the event says by whom in Slack', async () => {
    const id = await holdPayment(tenant)
    expect(await press(bob, id, 'approve')).toMatchObject({ status: 200, body: {} })
    expect((await tenant.settled(id)).status).toBe('executed')
    expect(await bodyOf(id, 'approval')).toEqual({
      principal: { id: member.account_id, kind: 'owner' },
      body: expect.objectContaining({
        name: member.email,
        via: { kind: 'slack', team_id: team, user_id: bob },
      }),
    })
    const answer = await answered()
    expect(answer).toMatchObject({ replace_original: true })
    expect(wordsOf(answer)).toContain(`Approved by <@${bob}>.`)
    expect(buttonsOf(answer)).toEqual([])
    expect(JSON.stringify(answer)).not.toContain('4711')
  })

  it('rejects by a button', async () => {
    const id = await holdPayment(tenant)
    await press(ann, id, 'reject')
    expect(await statusOf(id)).toBe('denied')
    expect(await bodyOf(id, 'rejection')).toMatchObject({ body: { via: { user_id: ann } } })
    expect(wordsOf(await answered())).toContain(`Rejected by <@${ann}>.`)
  })

  it('is one of two, with another by a session; an auditor proves both', async () => {
    await start(2)
    const id = await holdPayment(tenant)
    await press(bob, id, 'approve')
    const answer = await answered()
    expect(wordsOf(answer)).toContain('Approvals: 1 of 2')
    expect(buttonsOf(answer)).toHaveLength(2)
    const own = await member.browser.call<DecisionResponse>('POST', path(`/actions/${id}/approve`), {
      json: {},
    })
    expect(own).toMatchObject({ status: 202, body: { approvals: { given: 1 } } })
    const other = await owner.browser.call('POST', path(`/actions/${id}/approve`), { json: {} })
    expect([200, 202]).toContain(other.status)
    expect((await tenant.settled(id)).status).toBe('executed')
    await expect
      .poll(
        async () =>
          (await service.call<AuditExport>('GET', `/v1/actions/${id}/audit-export`, { key: tenant.agent }))
            .body.log,
        patient,
      )
      .toBeDefined()
    const { text } = await service.call('GET', `/v1/actions/${id}/audit-export`, { key: tenant.agent })
    const trusted = readTrustedKeys((await service.call('GET', '/v1/audit/keys')).text)
    if (!trusted.ok) throw new Error(trusted.error)
    expect(verifyExport(Buffer.from(text), { trusted: trusted.value })).toMatchObject({ outcome: 'verified' })
  })

  it('learns that somebody decided before', async () => {
    const id = await holdPayment(tenant)
    await owner.browser.call('POST', path(`/actions/${id}/reject`), { json: {} })
    await press(bob, id, 'approve')
    expect(await statusOf(id)).toBe('denied')
    const answer = await answered()
    expect(wordsOf(answer).at(-1)).toMatch(/^Too late: the action is denied: rejected by /)
    expect(buttonsOf(answer)).toEqual([])
  })

  it.each([
    ['another proposal than is held', { proposal_hash: `sha256:${'0'.repeat(64)}` }, /hash/],
    ['another request than is held', { request_hash: `sha256:${'0'.repeat(64)}` }, /hash/],
    ['an action of another tenant', { action_id: `act_${'0'.repeat(36)}` }, /No such action/],
  ])('decides nothing about %s', async (_what, differing, detail) => {
    const id = await holdPayment(tenant)
    for (const verb of ['approve', 'reject'] as const) {
      const { value = '', action_id } = await buttonOf(id, verb)
      const other = { action_id, value: JSON.stringify({ ...JSON.parse(value), ...differing }) }
      await slack.press(ann, other, { response_url: answerAt() })
    }
    const answer = await answered(2)
    expect(answer).toMatchObject({ response_type: 'ephemeral', replace_original: false })
    expect(answer.text).toMatch(detail)
    expect(await statusOf(id)).toBe('pending_approval')
  })

  it('decides nothing that the route does not let them decide', async () => {
    const admin = { admin: service.admin }
    const people = { members: [{ account_id: owner.account_id }] }
    const route = { required: [{ group: 'leads', approvals: 1 }] }
    await service.call('PUT', `/v1/tenants/${tenant.id}/groups/leads`, { ...admin, json: people })
    await service.call('PUT', `/v1/tenants/${tenant.id}/routes/leads`, { ...admin, json: route })
    const id = await holdPayment(tenant)
    await press(bob, id, 'approve')
    expect((await answered()).text).toMatch(/The route of the action does not name you/)
    expect(await statusOf(id)).toBe('pending_approval')
    await press(ann, id, 'approve')
    expect((await tenant.settled(id)).status).toBe('executed')
    expect(await bodyOf(id, 'approval')).toMatchObject({ body: { group: 'leads', via: { user_id: ann } } })
  })

  it('who loses the role loses the link with it', async () => {
    const id = await holdPayment(tenant)
    const json = { owner: false, roles: [{ tenant_id: tenant.id, role: 'auditor' }] }
    const changed = await owner.browser.call('PUT', `/v1/accounts/members/${member.account_id}`, { json })
    expect(changed.status).toBe(200)
    await press(bob, id, 'approve')
    expect((await answered()).text).toMatch(/^Your Slack user is linked to no account/)
    expect(await statusOf(id)).toBe('pending_approval')
  })

  it('who was removed decides nothing', async () => {
    const id = await holdPayment(tenant)
    const path = `/v1/accounts/members/${member.account_id}/remove`
    const removed = await owner.browser.call('POST', path, { json: {} })
    expect(removed.status).toBe(200)
    await press(bob, id, 'approve')
    expect((await answered()).text).toMatch(/^Your Slack user is linked to no account/)
    expect((await tenant.trace(id)).events).toHaveLength(2)
  })

  it('whose role went in another way decides nothing either', async () => {
    const id = await holdPayment(tenant)
    await asWriter(
      service.context.store,
      `delete from member_roles where account_id = '${member.account_id}'`,
    )
    await press(bob, id, 'approve')
    expect((await answered()).text).toMatch(/linked to nobody who may decide/)
    expect(await statusOf(id)).toBe('pending_approval')
  })
})

describe('a button that is pressed', () => {
  it('twice at the same moment decides once, and both answers say by whom', async () => {
    const id = await holdPayment(tenant)
    await Promise.all([press(ann, id, 'approve'), press(ann, id, 'approve')])
    const answers = (await posted('/actions/', 2)).map(message => wordsOf(message).at(-1))
    expect(answers.toSorted()).toEqual([
      `Approved by <@${ann}>.`,
      expect.stringMatching(`^Too late: the action is .*: approved by ${owner.email} at`),
    ])
    const { events } = await tenant.settled(id)
    expect(events.filter(({ kind }) => kind === 'approval')).toHaveLength(1)
  })

  it('by two people at the same moment, for and against, decides once', async () => {
    const id = await holdPayment(tenant)
    await Promise.all([press(ann, id, 'approve'), press(bob, id, 'reject')])
    const words = (await posted('/actions/', 2)).map(message => wordsOf(message).at(-1))
    expect(words.filter(said => said?.startsWith('Too late'))).toHaveLength(1)
    const { events } = await tenant.trace(id)
    expect(events.filter(({ kind }) => kind === 'approval' || kind === 'rejection')).toHaveLength(1)
  })

  it('by who holds the key that proposed is none of two approvals', async () => {
    await start(2)
    const own = await owner.browser.call<{ key: { key_id: string } }>('POST', path('/api-keys'), {
      json: { name: 'phone', scope: 'approver' },
    })
    const agent = await service.call<{ api_key: string }>('POST', `/v1/tenants/${tenant.id}/api-keys`, {
      admin: service.admin,
      json: { name: 'agent', scope: 'agent', same_holder_as: own.body.key.key_id },
    })
    const json = proposal({ operation: 'pay', risk: 'high' })
    const held = await service.call<Verdict>('POST', '/v1/actions', { key: agent.body.api_key, json })
    const { action_id: id } = held.body
    await press(ann, id, 'approve')
    expect((await answered()).text).toMatch(/^Nothing was decided\. .*the same person holds the key/)
    expect(await statusOf(id)).toBe('pending_approval')
    await press(bob, id, 'approve')
    expect(wordsOf(await answered(2))).toContain('Approvals: 1 of 2')
  })

  it('after the time to decide approves nothing, and its message says so', async () => {
    const id = await holdPayment(tenant)
    const inTime = `held_until = clock_timestamp() - interval '1 ms' where action_id = '${id}'`
    for (const table of ['actions', 'held_actions'])
      await asSuperuser(service.database, `update action_gate.${table} set ${inTime}`)
    await expect.poll(() => statusOf(id), patient).toBe('denied')
    await press(ann, id, 'approve')
    const answer = await answered()
    expect(answer).toMatchObject({ replace_original: true })
    expect(wordsOf(answer).at(-1)).toMatch(/^Too late: the action is denied: expired/)
    expect(buttonsOf(answer)).toEqual([])
  })

  it('is answered while the decision waits, which is told later', async () => {
    const id = await holdPayment(tenant)
    const { host, database, superuser } = service.database
    const sql = postgres({ host, database, user: superuser, max: 1 })
    try {
      await sql.begin(async holder => {
        await holder`select from action_gate.actions where action_id = ${id} for update`
        expect(await press(ann, id, 'reject')).toMatchObject({ status: 200, body: {} })
        expect(await statusOf(id)).toBe('pending_approval')
        expect(chat.seen).toEqual([])
      })
    } finally {
      await sql.end()
    }
    expect(wordsOf(await answered()).at(-1)).toBe(`Rejected by <@${ann}>.`)
    expect(await statusOf(id)).toBe('denied')
  })
})

describe('a request that is not of the Slack app of the tenant', () => {
  const minutesAgo = (minutes: number) => Math.floor(Date.now() / 1000) - minutes * 60

  it.each<[string, () => object]>([
    ['with another secret', () => ({ signing: { secret: '0'.repeat(32) } })],
    ['without a signature', () => ({ signing: { signature: '' } })],
    ['of six minutes ago', () => ({ signing: { at: minutesAgo(6) } })],
    ['of six minutes to come', () => ({ signing: { at: minutesAgo(-6) } })],
    ['of another workspace', () => ({ team: 'T0OTHER' })],
    ['of a user of another workspace', () => ({ user_team: 'T0OTHER' })],
    ['to a tenant that is none', () => ({ tenant_id: 'nobody' })],
    ['to a tenant without an app', () => ({ tenant_id: owner.tenant_id })],
  ])('is refused %s, and decides nothing', async (_how, change) => {
    const id = await holdPayment(tenant)
    const { status, body } = await press(ann, id, 'approve', change())
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'slack_request_refused' })
    expect(await statusOf(id)).toBe('pending_approval')
    expect(chat.seen).toEqual([])
  })

  it('is refused where a byte of it was changed, and where it comes again', async () => {
    const id = await holdPayment(tenant)
    const button = await buttonOf(id, 'reject')
    const payload = {
      type: 'block_actions',
      team: { id: team },
      user: { id: ann, team_id: team },
      actions: [button],
    }
    const raw = String(new URLSearchParams({ payload: JSON.stringify(payload) }))
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      ...signedHeaders(slack.secret, raw),
    }
    const send = (sent: string) =>
      service.call<Problem>('POST', `/v1/slack/interactions/${tenant.id}`, { raw: sent, headers })
    expect(await send(raw.replace('reject', 'approve'))).toMatchObject({ status: 401 })
    expect(await statusOf(id)).toBe('pending_approval')
    expect(await send(raw)).toMatchObject({ status: 200 })
    expect(await statusOf(id)).toBe('denied')
    expect(await send(raw)).toMatchObject({ status: 401, body: { detail: 'this request came before' } })
  })

  it('decides nothing as a GET, whatever it shows', async () => {
    const id = await holdPayment(tenant)
    const at = `/v1/slack/interactions/${tenant.id}?payload=${encodeURIComponent('{}')}`
    expect(await service.call('GET', at)).toMatchObject({ status: 405 })
    expect(await statusOf(id)).toBe('pending_approval')
  })

  it.each([
    ['another host', () => 'https://evil.example/actions'],
    ['a host that begins like Slack', () => `${chat.url}.evil.example/actions`],
    ['Slack with a user', () => chat.url.replace('//', '//user@')],
    ['no address', () => 'hooks.slack.com'],
  ])('is refused where its answer is to go to %s', async (_what, response_url) => {
    const id = await holdPayment(tenant)
    const { status, body } = await press(ann, id, 'approve', { response_url: response_url() })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
    expect(await statusOf(id)).toBe('pending_approval')
    expect(chat.seen).toEqual([])
  })

  it('decides nothing where it is about something else than a button of ours', async () => {
    const id = await holdPayment(tenant)
    const { value = '' } = await buttonOf(id, 'approve')
    for (const button of [{ action_id: 'link' }, { action_id: 'cancel', value }])
      expect((await slack.press(ann, button)).status).toBe(200)
    expect((await slack.press<Problem>(ann, { action_id: 'approve', value: 'act_1' })).status).toBe(400)
    expect(await statusOf(id)).toBe('pending_approval')
  })
})

it.each(['lost', 'silent'])('a decision stays where Slack takes no answer to it: %s', async what => {
  const id = await holdPayment(tenant)
  const since = performance.now()
  const pressed = await press(ann, id, 'reject', { response_url: `${chat.url}/actions/${what}` })
  expect(pressed).toMatchObject({ status: 200 })
  expect(performance.now() - since).toBeLessThan(8_000)
  expect(await statusOf(id)).toBe('denied')
})
