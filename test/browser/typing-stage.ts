import type { Page } from 'playwright-core'
import type { SessionProfile } from '../../shared/contract/account.ts'
import { type Downstream, startDownstream } from '../support/fixtures/http-downstream.ts'
import { secretsEnvironment } from '../support/fixtures/secrets-keys.ts'
import { webhookEnvironment } from '../support/fixtures/webhook-receiver.ts'
import { type Person, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { startIssuer, type TestIssuer } from '../support/servers/issuer.ts'
import { type MailServer, startMailServer } from '../support/servers/mail-server.ts'
import { invite, join, type TestMember } from '../support/service/member.ts'
import { type Login, logIn, newBrowser, signUp, type TestOwner } from '../support/service/owner.ts'
import { plantReset } from '../support/service/plant-reset.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { crm, plainPolicy, proposal } from '../support/service/tenant.ts'
import { signIn, unlock } from './sign-in.ts'
import type { Who } from './typing.ts'

/** What forms are typed against: an owner of its own for each speed, and whatever a form needs to be there. */
export interface Stage {
  mark: string
  owner: TestOwner
  member: TestMember
  approverKey: string
  /** The address of a document of an API. */
  shop: string
  /** The address of whoever signs people in. */
  issuer: string
  canSignIn(login: Login): Promise<SessionProfile>
  /** What e-mails left. */
  mailed(): Promise<unknown>
  /** Links of an e-mail and of an invitation. */
  reset(): Promise<string>
  invitation(): Promise<string>
  /** A new application of the owner: of a template. */
  app(): Promise<string>
  /** The place of an action that waits, the last of so many of a new application. */
  hold(count: number): Promise<string>
  /** A new tenant of the operator: as it is made, frozen, and the place of an action whose outcome is unknown. */
  tenant(): Promise<string>
  stopped(): Promise<string>
  lost(): Promise<string>
  open(who: Who, path: string): Promise<Page>
  read(path: string): Promise<unknown>
}

/** A service with everything that forms need, and a browser. */
export interface Typing {
  stage(mark: string): Promise<Stage>
  close(): Promise<void>
}

interface Bed {
  service: TestService
  browser: TestBrowser
  mail: MailServer
  shop: Downstream
  issuer: TestIssuer
}

export async function startTyping(): Promise<Typing> {
  const mail = await startMailServer({ user: 'gate', pass: 's3cret-mail' })
  const shop: Downstream = await startDownstream((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(shopDocument(shop.url))),
  )
  const issuer: TestIssuer = await startIssuer({ serviceUrl: () => service.url })
  const service: TestService = await startService({
    env: { ...environment, SERVICE_SMTP_URL: mail.url, ...issuer.setting(), ...issuer.consoleSetting() },
  })
  // Its address is known once it listens.
  Object.assign(service.context.config, { base_url: service.url })
  const browser = await startBrowser(service.url)
  return {
    stage: mark => setStage({ service, browser, mail, shop, issuer }, mark),
    async close() {
      await browser.close()
      await service.close()
      await issuer.close()
      await shop.close()
      await mail.close()
    },
  }
}

const environment = {
  ...secretsEnvironment,
  ...webhookEnvironment,
  SERVICE_HOSTED_ACCOUNTS: 'true',
  SERVICE_LOGIN_LIMIT: '1000',
  SERVICE_EGRESS_ALLOW: '127.0.0.1',
  SERVICE_MAIL_FROM: 'gate@example.org',
}

function shopDocument(url: string): object {
  const sum = { type: 'number', exclusiveMinimum: 0, maximum: 100 }
  const order = { type: 'object', required: ['sum'], properties: { sum }, additionalProperties: false }
  const content = { 'application/json': { schema: order } }
  return {
    openapi: '3.1.0',
    info: { title: 'Corner shop', version: '1' },
    servers: [{ url }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{ token: [] }],
    paths: { '/orders': { post: { operationId: 'order', requestBody: { required: true, content } } } },
  }
}

async function setStage(bed: Bed, mark: string): Promise<Stage> {
  const { service, mail, shop, issuer } = bed
  const owner = await signUp(service.call, { email: `o-${mark}@a.org` })
  for (const name of ['alpha', 'beta-one', 'beta-two'])
    await owner.browser.call('PUT', owner.path(`/groups/${name}`), {
      json: { members: [{ account_id: owner.account_id }] },
    })
  const minted = await owner.browser.call<{ api_key: string }>('POST', owner.path('/api-keys'), {
    json: { name: 'lead', scope: 'approver' },
  })
  const people = await signedIn(bed, owner)
  return {
    mark,
    owner,
    member: await join(service.call, owner, {}),
    approverKey: minted.body.api_key,
    shop: `${shop.url}/openapi.json`,
    issuer: issuer.url,
    canSignIn: async login => (await logIn(newBrowser(service.call), login)).body,
    mailed: async () => mail.mails.map(({ recipients }) => ({ recipients })),
    ...linksOf(service, owner, mark),
    ...applicationsOf(service, owner),
    ...tenantsOf(service),
    open: (who, path) => people[who](path),
    read: async path =>
      path.startsWith('/v1/accounts')
        ? (await owner.browser.call('GET', path)).body
        : (await service.call('GET', path, { admin: service.admin })).body,
  }
}

/** A page for each form: an owner's has the session, and an operator's a key that a reload would lose. */
async function signedIn(
  { browser, service }: Bed,
  owner: TestOwner,
): Promise<Record<Who, (path: string) => Promise<Page>>> {
  const person = await browser.person()
  await signIn(person.page, owner)
  const opened = async ({ context }: Person, path: string): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(path)
    return page
  }
  return {
    nobody: async path => opened(await browser.person(), path),
    owner: path => opened(person, path),
    async operator(path) {
      const { page } = await browser.person()
      await unlock(page, service.admin)
      await page.evaluate(
        `history.pushState({}, '', '/admin${path}'); dispatchEvent(new PopStateEvent('popstate'))`,
      )
      return page
    },
  }
}

function linksOf(service: TestService, owner: TestOwner, mark: string) {
  return {
    async reset() {
      const { email } = await signUp(service.call, { email: `reset-${mark}@a.org` })
      return `/app/reset#${await plantReset(service.context, email, 1_200_000)}`
    },
    invitation: async () => `/app/invitation#${(await invite(owner, {})).token}`,
  }
}

function applicationsOf(service: TestService, { browser }: TestOwner) {
  interface Made {
    tenant: { tenant_id: string }
    api_key: string
  }
  const make = async () => {
    const json = { name: 'One more', template: 'support' }
    return (await browser.call<Made>('POST', '/v1/accounts/tenants', { json })).body
  }
  const app = async () => (await make()).tenant.tenant_id
  return {
    app,
    async hold(count: number) {
      const { tenant, api_key } = await make()
      let id = ''
      for (let held = 0; held < count; held += 1) {
        const json = proposal({
          system: 'helpdesk',
          operation: 'add_note',
          risk: 'high',
          parameters: { card: '4711' },
        })
        id = (await service.call<{ action_id: string }>('POST', '/v1/actions', { key: api_key, json })).body
          .action_id
      }
      return `/app/a/${tenant.tenant_id}/approvals/${id}`
    },
  }
}

function tenantsOf(service: TestService) {
  const tenant = async () => (await service.tenant({ policy: plainPolicy, actuators: [crm] })).id
  return {
    tenant,
    async stopped() {
      const id = await tenant()
      const json = { reason: 'a test', system: 'crm' }
      await service.call('POST', `/v1/tenants/${id}/freeze`, { admin: service.admin, json })
      return id
    },
    async lost() {
      const unknown = await service.tenant({
        policy: { allowed_systems: ['lost'], approval_required_at: 'high', review_route: 'leads' },
        actuators: [{ name: 'lost', kind: 'mock', settings: { outcome: 'unknown', idempotency: 'none' } }],
      })
      const { body } = await unknown.submit({ system: 'lost', operation: 'pay' })
      await unknown.settled(body.action_id)
      return `/tenants/${unknown.id}/actions/${body.action_id}`
    },
  }
}
