import { Agent } from 'node:http'
import { openApi } from '../../api/start-api.ts'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import { catalogChange, freezeRequest, pauseRequest } from '../../shared/contract/examples/example-changes.ts'
import { examplePolicy } from '../../shared/contract/examples/example-policy.ts'
import { callbackUrl } from '../../shared/flow/core/callback-url.ts'
import { issueAdminKey } from '../../shared/flow/tenant/issue-key.ts'
import { createLogger } from '../../shared/runtime/telemetry/logger.ts'
import { publishLog } from '../support/audit/kept-logs.ts'
import { secretsEnvironment } from '../support/fixtures/secrets-keys.ts'
import { type HostileIssuer, startHostileIssuer } from '../support/servers/hostile-issuer.ts'
import { startProxy } from '../support/servers/proxy.ts'
import { invite } from '../support/service/member.ts'
import { logIn, signUp, type TestOwner } from '../support/service/owner.ts'
import { plantKey } from '../support/service/plant-key.ts'
import { plantOperator } from '../support/service/plant-operator.ts'
import { plantStoredSecret } from '../support/service/plant-secret.ts'
import { plantWebhook } from '../support/service/plant-webhook.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { linkSlack, registerSlack } from '../support/service/slack.ts'
import type { TestTenant } from '../support/service/tenant.ts'
import {
  type ContractDocument,
  type Operation,
  type Response,
  readContractDocument,
} from './contract-document.ts'
import { send } from './send.ts'
import { type Asked, type Known, pathOf } from './valid-request.ts'

/** Of an issuer that nobody reaches. */
export const downUrl = 'http://127.0.0.1:1'

/** A service with tenants and actions in it, and its document. */
export interface World {
  document: ContractDocument
  service: TestService
  /** Its proposals for `payments` are executed; those for `slow` stay under way. */
  tenant: TestTenant
  known: Known
  /** Where people sign in; its tokens are of the attempt whose nonce stands here. */
  issuer: HostileIssuer & { attempt: { nonce: string } }
  /** A new action that is held; the id. */
  held(system?: string): Promise<string>
  /** Sends to the service or to another url. What the answer has against the document is an error. */
  ask(operation: Operation, asked: Asked, url?: string): Promise<Response>
  close(): Promise<void>
}

/** Owners log in as often as a test wants. */
const hosted = {
  SERVICE_HOSTED_ACCOUNTS: 'true',
  SERVICE_WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64'),
  SERVICE_SECRETS_KEY: secretsEnvironment.SERVICE_SECRETS_KEY,
  SERVICE_LOGIN_LIMIT: '1000000',
  SERVICE_LOGIN_ACCOUNT_LIMIT: '1000000',
}

/** E-mails may be asked for; no worker sends them. */
const mailing = {
  SERVICE_SMTP_URL: 'smtp://127.0.0.1:1',
  SERVICE_MAIL_FROM: 'gate@example.org',
  SERVICE_BASE_URL: 'https://gate.example.org',
}

/** One that answers, and one that never does. */
function issuerSettings(url: string): { SERVICE_OIDC_ISSUERS: string; SERVICE_OPERATOR_ISSUERS: string } {
  const issuer = { title: 'Example', issuer: url, client_id: 'gate' }
  const down = { ...issuer, issuer: downUrl }
  const issuers = JSON.stringify({ example: issuer, down })
  return { SERVICE_OIDC_ISSUERS: issuers, SERVICE_OPERATOR_ISSUERS: issuers }
}

export async function startWorld({ platform = false } = {}): Promise<World> {
  const attempt = { nonce: '' }
  const issuer = Object.assign(await startHostileIssuer(() => attempt.nonce), { attempt })
  const env = {
    ...hosted,
    ...issuerSettings(issuer.url),
    SERVICE_SHUTDOWN_MS_MAX: '100',
    SERVICE_SUBMIT_WAIT_MS: '10000',
  }
  const service = await startService({ platform, env })
  const agent = new Agent({ keepAlive: true })
  const served = await send(service.url, agent, {
    method: 'GET',
    path: '/openapi.yaml',
    headers: {},
    body: null,
  })
  const document = readContractDocument(served.text)
  const tenant = await service.tenant({
    policy: { ...examplePolicy, allowed_systems: ['payments', 'slow', 'lost'], allowed_operations: {} },
    actuators: [
      { name: 'payments', kind: 'mock', settings: {} },
      { name: 'slow', kind: 'mock', settings: { delay_ms: 60_000 } },
      { name: 'lost', kind: 'mock', settings: { outcome: 'unknown', idempotency: 'none' } },
    ],
  })
  const owner = await signUp(service.call)
  const known = await makeKnown(service, tenant, owner)
  /** What ends the session that the next requests are to have. */
  const again: Readonly<Record<string, () => Promise<void>>> = {
    async log_out() {
      await logIn(owner.browser, owner)
      Object.assign(known.credentials, sessionOf(owner))
    },
    async sign_out_operator() {
      Object.assign(known.credentials, await plantOperator(service.context))
    },
  }
  return {
    document,
    service,
    tenant,
    known,
    issuer,
    async held(system = 'payments') {
      return (await tenant.submit({ system, operation: 'pay', risk: 'high' })).body.action_id
    },
    async ask(operation, asked, url = service.url) {
      const { method } = operation
      const { headers, body } = asked
      const response = await send(url, agent, { method, path: pathOf(operation, asked), headers, body })
      const problems = document.answerProblems(operation, response)
      if (problems.length > 0) throw new Error(`${operation.operationId}: ${problems.join('\n')}`)
      if (response.status === 200) await again[operation.operationId]?.()
      return response
    },
    async close() {
      agent.destroy()
      await service.close()
      await issuer.close()
    },
  }
}

/** The address of the first attempt of an action, as the downstream would be told it. */
function callbackOf({ context }: TestService, action: { tenant_id: string; action_id: string }): string {
  return (
    callbackUrl(context, { ...action, attempt: 1 })
      ?.split('/')
      .at(-1) ?? ''
  )
}

/**
 * The parameters name a tenant that nothing else uses, so that changing it changes no other answer. It has a catalog,
 * and something in it is frozen.
 */
async function makeKnown(service: TestService, tenant: TestTenant, owner: TestOwner): Promise<Known> {
  const { context, admin, call } = service
  const { id } = await service.tenant()
  await call('POST', `/v1/tenants/${id}/catalog`, { admin, json: catalogChange })
  await call('POST', `/v1/tenants/${id}/freeze`, { admin, json: freezeRequest })
  await call('POST', `/v1/tenants/${id}/pause`, { admin, json: pauseRequest })
  const { key } = await plantKey(context, {
    name: 'to be revoked',
    scope: 'agent',
    tenant_id: id,
    expires_at: null,
  })
  const { body } = await tenant.submit({ system: 'payments', operation: 'pay' })
  for (const tenant_id of [id, tenant.id]) await give(service, owner.account_id, tenant_id)
  const inTenant = { tenant_id: tenant.id }
  await owner.browser.call('POST', '/v1/accounts/groups', { json: { name: 'night-shift' } })
  const { invitation } = await invite(owner, {})
  const webhook = await plantWebhook(context, id)
  const [deleted, deletedByOwner] = [await plantWebhook(context, id), await plantWebhook(context, id)]
  await call('GET', `/v1/actions/${body.action_id}/audit-export`, { key: tenant.agent })
  const ownTenant = async (traits: Parameters<TestService['tenant']>[0] = {}) => {
    const made = await service.tenant(traits)
    await give(service, owner.account_id, made.id)
    return { tenant_id: made.id }
  }
  const toRemove = () => ownTenant({ policy: { ...examplePolicy, allowed_systems: ['payments'] } })
  return {
    credentials: {
      admin,
      agent: tenant.agent,
      approver: tenant.approver,
      ...sessionOf(owner),
      ...(await plantOperator(context)),
    },
    params: {
      tenant_id: id,
      key_id: key.key_id,
      action_id: body.action_id,
      name: 'proposal',
      grant_id: 'grt_none',
      subscription_id: 'wh_aaaaaaaaaaaaaaaa',
      revision: '1',
      system: 'payments',
      issuer: 'example',
      callback: callbackOf(service, { ...inTenant, action_id: body.action_id }),
      account_id: owner.account_id,
      invitation_id: invitation.invitation_id,
      operator_id: (await plantOperator(context)).operator_id,
      ...webhook,
    },
    query: { index: '0', view: 'due', by: 'risk' },
    ownParams: {
      create_catalog: { tenant_id: (await service.tenant()).id },
      create_webhook: { tenant_id: (await service.tenant()).id },
      create_owned_webhook: await ownTenant(),
      revoke_admin_key: { key_id: (await issueAdminKey(context, 'to be revoked')).split('.')[0] ?? '' },
      remove_operator: { operator_id: (await plantOperator(context)).operator_id },
      remove_tool: await toRemove(),
      remove_owned_tool: await toRemove(),
      change_tool: await toRemove(),
      change_owned_tool: await toRemove(),
      remove_group: { name: 'payments-leads' },
      add_group_member: { name: 'night-shift' },
      remove_group_member: { name: 'night-shift' },
      delete_webhook: { webhook_id: deleted.webhook_id },
      delete_owned_webhook: { webhook_id: deletedByOwner.webhook_id },
      ...Object.fromEntries(readingActions.map(name => [name, inTenant])),
      ...(await makeKeepers(service, owner)),
      ...(await makeSlackApps(service, owner)),
    },
  }
}

/** Tenants with an actuator that needs a secret: one for what operators do to it, one for what its owner does. */
async function makeKeepers(service: TestService, owner: TestOwner): Promise<Known['ownParams']> {
  const { context } = service
  const settings = {
    base_url: 'https://api.payments.example/v2',
    auth: { type: 'bearer' as const, token: { secret: 'payments_token' } },
    operations: {},
  }
  const keeper = async (verbs: Record<string, string>) => {
    const { id: tenant_id } = await service.tenant({
      actuators: [{ name: 'payments', kind: 'http', settings }],
    })
    await give(service, owner.account_id, tenant_id)
    for (const name of ['payments_token', 'confirmed', 'spare'])
      await plantStoredSecret(context, tenant_id, { name })
    return Object.entries(verbs).map(([verb, name]) => [verb, { tenant_id, name }])
  }
  const rows = [
    await keeper({
      list_secrets: '',
      put_secret: 'payments_token',
      confirm_secret: 'confirmed',
      delete_secret: 'spare',
    }),
    await keeper({
      list_owned_secrets: '',
      put_owned_secret: 'payments_token',
      confirm_owned_secret: 'confirmed',
      delete_owned_secret: 'spare',
    }),
  ]
  return Object.fromEntries(rows.flat())
}

/** Tenants with a Slack app: one whose app is removed, and one to whose app the owner is linked. */
async function makeSlackApps(service: TestService, owner: TestOwner): Promise<Known['ownParams']> {
  const withApp = async () => {
    const { id } = await service.tenant()
    await give(service, owner.account_id, id)
    return registerSlack(service.call, owner.browser, id)
  }
  const [removed, linked] = [await withApp(), await withApp()]
  await linkSlack(linked, owner.browser, 'U0ANN')
  const { tenant_id } = linked
  const put = { tenant_id: (await withApp()).tenant_id }
  return {
    put_slack_app: put,
    delete_slack_app: { tenant_id: removed.tenant_id },
    ...Object.fromEntries(
      ['read_slack', 'make_slack_code', 'unlink_slack'].map(name => [name, { tenant_id }]),
    ),
  }
}

/** Operations about an action, which is one of the tenant's with the actuators. */
const readingActions = [
  'read_owned_action',
  'read_owned_approval',
  'read_owned_review',
  'export_owned_audit',
  'approve_owned_action',
  'comment_owned_action',
  'edit_owned_action',
  'reject_owned_action',
  'read_tenant_action',
  'export_tenant_audit',
  'test_tool',
  'test_owned_tool',
]

/** Let a tenant be one of the account's organization. */
export async function give({ context }: TestService, accountId: string, tenantId: string): Promise<void> {
  await context.store.write([tenantId], async writer => {
    const text = `
      insert into tenant_owners (tenant_id, organization_id, name)
      select $2, organization_id, 'given' from accounts where account_id = $1`
    await writer.query('', text, [accountId, tenantId])
  })
}

/** What a request of the owner shows. */
export function sessionOf({ browser }: Pick<TestOwner, 'browser'>): { session: string; csrf: string } {
  return { session: browser.cookies.get('service_session') ?? '', csrf: browser.csrf ?? '' }
}

/** Services over the same database that refuse what the first one would answer. */
export interface Refusing {
  /** Each key and address has one request a minute. */
  limited: string
  /** Looking up a key, and reading, meets an error that nobody expected. */
  failing: string
  /** The database cannot be reached. */
  cutOff: string
  /** There is no key for webhooks, and none for secrets. */
  unkeyed: string
  /** The policy changes whenever a proposal is to be stored. */
  overtaken: string
  /** So much is under way that nothing finds room. */
  crowded: string
  /** As many proofs are under way as may be. */
  proving: string
  /** No document finds room to be read. */
  unread: string
  /** It is in embedded mode. */
  embedded: string
  close(): Promise<void>
}

export async function startRefusing({ service, issuer }: World): Promise<Refusing> {
  const { database, context } = service
  const env = { ...hosted, ...issuerSettings(issuer.url), SERVICE_SHUTDOWN_MS_MAX: '100' }
  const limited = await startService({
    database,
    worker: null,
    env: { ...env, SERVICE_RATE_LIMIT: '1', SERVICE_LOGIN_LIMIT: '1' },
  })
  const proxy = await startProxy(`${database.host}/.s.PGSQL.5432`)
  const databaseUrl = `postgres://${database.superuser}@127.0.0.1:${proxy.port}/${database.database}`
  const cutOff = await startService({ database, databaseUrl, worker: null, env: { ...env, ...mailing } })
  await proxy.cut()
  const mail = { smtp_url: mailing.SERVICE_SMTP_URL, mail_from: mailing.SERVICE_MAIL_FROM }
  const linked = { ...context.config, ...mail, base_url: mailing.SERVICE_BASE_URL }
  const failing = await startWith({
    ...context,
    config: linked,
    findKey: unexpected,
    store: {
      ...context.store,
      read: unexpected,
      readEach: () => ({ kind: 'reader', query: unexpected }),
      look: unexpected,
      change: unexpected,
      write: unexpected,
    },
  })
  const unkeyed = await startWith({ ...context, config: linked, webhookKey: null, sealingKey: null })
  const overtaken = await startWith({
    ...context,
    rules: async tenantId => {
      const rules = await context.rules(tenantId)
      return rules && { ...rules, version: rules.version - 1 }
    },
    proofs: {
      of(asker) {
        const prove = context.proofs.of(asker)
        return async work => {
          const answer = await prove(work)
          const text = 'update tenants set rules_version = rules_version + 1'
          await context.store.write('all', writer => writer.query('', text, []))
          return answer
        }
      },
    },
  })
  const crowded = await startWith({
    ...context,
    config: { ...context.config, keys_per_tenant_max: 0, revision_bytes_max: 0 },
    listRoom: { enter: async () => null },
    heldRoom: { take: async () => null },
  })
  const proving = await startWith({
    ...context,
    proofs: { of: () => () => Promise.reject(new ServiceError('too_many_proofs')) },
  })
  const unread = await startWith({ ...context, documentRoom: { enter: async () => null } })
  const embedded = await startWith({ ...context, mode: 'embedded' })
  return {
    limited: limited.url,
    failing: failing.url,
    cutOff: cutOff.url,
    unkeyed: unkeyed.url,
    overtaken: overtaken.url,
    crowded: crowded.url,
    proving: proving.url,
    unread: unread.url,
    embedded: embedded.url,
    async close() {
      const others = [failing, unkeyed, overtaken, crowded, proving, unread, embedded, limited, cutOff]
      for (const open of others) await open.close()
      await proxy.close()
    },
  }
}

function unexpected(): Promise<never> {
  return Promise.reject(new Error('nobody expected this'))
}

async function startWith(context: TestService['context']) {
  const service = {
    context,
    queue: { redisUrl: '', prefix: '' },
    counters: null,
    home: null,
    opening: [],
    close: async () => undefined,
  }
  const log = createLogger('debug', publishLog('contract'))
  const api = await openApi({ service, log, host: '127.0.0.1', port: 0 })
  api.serve()
  return api
}
