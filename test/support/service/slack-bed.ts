import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { give } from '../../contract/world.ts'
import { asWriter } from '../fixtures/ad-hoc.ts'
import { type Downstream, startDownstream } from '../fixtures/http-downstream.ts'
import { webhookEnvironment } from '../fixtures/webhook-receiver.ts'
import { join, type TestMember } from './member.ts'
import { signUp, type TestOwner } from './owner.ts'
import { startService, type TestService } from './service.ts'
import { type Button, linkSlack, registerSlack, type TestSlack } from './slack.ts'
import type { TestTenant } from './tenant.ts'
import { patient, paymentPolicy } from './webhook-bed.ts'

export const ann = 'U0ANN'
export const bob = 'U0BOB'

/** Of each test: an owner whom Ann of Slack is linked to, and an approver whom Bob is. */
export interface SlackStage {
  service: TestService
  /** Slack itself: takes messages of incoming webhooks, and answers to buttons. */
  chat: Downstream
  owner: TestOwner
  member: TestMember
  tenant: TestTenant
  slack: TestSlack
}

/** A service beside a Slack of its own, and a fresh stage for each test, which `set` keeps. */
export function slackBed(set: (stage: SlackStage) => void) {
  let service: TestService
  let chat: Downstream
  let stage: SlackStage
  beforeAll(async () => {
    chat = await startDownstream(({ url }, response) => {
      if (url.endsWith('/silent')) return
      response.writeHead(url.endsWith('/lost') ? 500 : 200).end()
    })
    service = await startService({ env: environmentOf(chat) })
  })
  afterAll(async () => {
    await service.close()
    await chat.close()
  })
  const start = async (approvals_required?: number): Promise<void> => {
    stage = { service, chat, ...(await stageOf(service, approvals_required)) }
    chat.seen.length = 0
    set(stage)
  }
  beforeEach(() => start())
  /** What was posted to Slack at an address that begins so. */
  const posted = async (begin: string, count = 1) => {
    const at = () => chat.seen.filter(({ url }) => url.startsWith(begin))
    await expect.poll(() => at().length, patient).toBeGreaterThanOrEqual(count)
    return at().map(({ body }) => JSON.parse(body))
  }
  /** The button that a held action has in a message, as it would be sent. */
  const buttonOf = async (id: string, action_id: 'approve' | 'reject'): Promise<Button> => {
    const { verdict } = await stage.tenant.trace(id)
    const { proposal_hash, request_hash = null } = verdict ?? {}
    return { action_id, value: JSON.stringify({ action_id: id, proposal_hash, request_hash }) }
  }
  const answerAt = () => `${chat.url}/actions/T024FJ2Q7/1/s3cretAnswer`
  return {
    start,
    posted,
    answered: async (count = 1) => (await posted('/actions/', count)).at(-1),
    buttonOf,
    answerAt,
    press: async (user: string, id: string, verb: 'approve' | 'reject', change: object = {}) => {
      const told = { response_url: answerAt(), ...change }
      return stage.slack.press<Problem>(user, await buttonOf(id, verb), told)
    },
    path: (rest: string) => `/v1/accounts/tenants/${stage.tenant.id}${rest}`,
    statusOf: async (id: string) => (await stage.tenant.trace(id)).status,
  }
}

function environmentOf({ url }: Downstream) {
  return {
    ...webhookEnvironment,
    SERVICE_HOSTED_ACCOUNTS: 'true',
    SERVICE_LOGIN_LIMIT: '100000',
    SERVICE_SWEEP_MS: '200',
    SERVICE_BASE_URL: 'https://gate.example.org',
    SERVICE_SLACK_URL: url,
  }
}

async function stageOf(service: TestService, approvals_required: number | undefined) {
  const more = approvals_required === undefined ? {} : { approvals_required }
  const tenant = await service.tenant({ policy: { ...paymentPolicy, ...more }, issued: true })
  const owner = await signUp(service.call)
  await give(service, owner.account_id, tenant.id)
  await asWriter(
    service.context.store,
    `update organizations set tenant_count = tenant_count + 1 where organization_id = (select organization_id from accounts where account_id = '${owner.account_id}')`,
  )
  const slack = await registerSlack(service.call, owner.browser, tenant.id)
  await linkSlack(slack, owner.browser, ann)
  const member = await join(service.call, owner, { roles: [{ tenant_id: tenant.id, role: 'approver' }] })
  await linkSlack(slack, member.browser, bob)
  return { owner, member, tenant, slack }
}
