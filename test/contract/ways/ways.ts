import type { Proposal } from '../../../shared/contract/action/proposal-schema.ts'
import type { ErrorCode } from '../../../shared/contract/base/errors.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import type { ApiKey } from '../../../shared/contract/configuration/tenant.ts'
import { catalogChange } from '../../../shared/contract/examples/example-changes.ts'
import { examplePolicy } from '../../../shared/contract/examples/example-policy.ts'
import type { KeyToIssue } from '../../../shared/flow/tenant/issue-key.ts'
import { insertLateResult } from '../../../shared/store/job/reconcile-attempts.ts'
import { plantFreezes } from '../../support/service/plant-freezes.ts'
import { plantKey } from '../../support/service/plant-key.ts'
import type { Operation } from '../contract-document.ts'
import { tooManyProofs } from '../proof-ways.ts'
import { type Asked, validRequest } from '../valid-request.ts'
import type { World } from '../world.ts'
import { consoleErrorWays, consoleWays } from './console-ways.ts'
import { editWays } from './edit-ways.ts'
import { grantErrorWays, grantWays } from './grant-ways.ts'
import { hostedWays, keyBesideSession, malformedHeaders, sessionWays, unchanged } from './hosted-ways.ts'
import { memberOfOtherRole, memberWays } from './member-ways.ts'
import { provedWays, takingNothing } from './proved-ways.ts'
import { bySameHolder } from './quorum-ways.ts'
import { routeErrorWays, routeWays } from './route-ways.ts'
import { secretErrorWays, secretWays } from './secret-ways.ts'
import { signInWays } from './sign-in-ways.ts'
import { slackErrorWays, slackWays } from './slack-ways.ts'
import { toolWays } from './tool-ways.ts'
import type { Attempt, Stage, Way } from './way.ts'
import { webhookErrorWays, webhookWays } from './webhook-ways.ts'

const ofElsewhere = { reason: 'of a test', system: 'elsewhere' }

/** How to come to every error that any operation may answer with. */
export const errorWays: Partial<Record<ErrorCode, Way>> = {
  ...sessionWays,
  ...consoleErrorWays,
  ...webhookErrorWays,
  ...secretErrorWays,
  ...routeErrorWays,
  ...grantErrorWays,
  ...slackErrorWays,
  too_many_freezes: async (operation, { world: { known, service } }) => {
    const { id } = await service.tenant()
    await plantFreezes(service.context, id)
    return { asked: withBody(validRequest(operation, { ...known, params: { tenant_id: id } }), ofElsewhere) }
  },
  malformed_json: changed(asked => ({ ...asked, body: '{' })),
  validation_failed: changed(asked =>
    asked.body === null ? { ...asked, query: { unknown: '1' } } : { ...asked, body: '[]' },
  ),
  invalid_header: (operation, stage) =>
    isOfSession(operation) && operation.security.length === 1
      ? malformedHeaders(operation, stage)
      : changed(asked => withHeaders(withoutCredentials(asked), { authorization: 'Basic dXNlcjpwYXNz' }))(
          operation,
          stage,
        ),
  conflicting_credentials: (operation, stage) =>
    isOfSession(operation) ? keyBesideSession(operation, stage) : twoKeys(operation, stage),
  credential_required: changed(asked => withoutCredentials(asked)),
  invalid_key: withKey(async () => 'agk_aaaaaaaaaaaaaaaa.wrong'),
  key_revoked: withKey(stage => revokedKey(stage)),
  key_expired: withKey(({ world }) => issued(world, { expires_at: '2001-01-01T00:00:00.000Z' })),
  wrong_scope: withKey(async ({ world: { known } }, operation) =>
    operation['x-key-scopes']?.includes('agent') ? known.credentials.admin : known.credentials.agent,
  ),
  wrong_role: (operation, stage) =>
    operation.security.some(scheme => 'service_admin_key' in scheme)
      ? withKey(({ world }) => onCallKey(world))(operation, stage)
      : memberOfOtherRole(operation, stage),
  not_found: changed(asked => ({ ...asked, params: { name: 'nothing', callback: 'nothing' } })),
  tenant_not_found: changed(asked => ({ ...asked, params: { ...asked.params, tenant_id: 'nobody' } })),
  key_not_found: changed(asked => ({
    ...asked,
    params: { ...asked.params, key_id: 'agk_aaaaaaaaaaaaaaaa' },
  })),
  action_not_found: changed(asked => ({
    ...asked,
    params: { ...asked.params, action_id: `act_${'0'.repeat(36)}` },
  })),
  action_not_approvable: changed(asked => asked),
  body_too_large: changed(asked => ({ ...asked, body: ' '.repeat(300 * 1024) })),
  unsupported_media_type: changed(asked => withHeaders(asked, { 'content-type': 'text/plain' })),
  rate_limited: (operation, { world, refusing }) => {
    const asked = validRequest(operation, world.known)
    return { asked, before: asked, url: refusing.limited }
  },
  internal_error: (operation, { world, refusing }) => ({
    asked: validRequest(operation, world.known),
    url: refusing.failing,
  }),
  too_many_keys: crowded,
  too_many_revisions: crowded,
  too_many_comments: commentedEnough,
  too_many_held: (operation, stage) => {
    const { asked, url } = crowded(operation, stage)
    const held = { ...(JSON.parse(String(asked.body)) as Proposal), risk: { level: 'high' } }
    return { asked: { ...asked, body: JSON.stringify(held) }, ...(url === undefined ? {} : { url }) }
  },
  overloaded: crowded,
  too_many_proofs: tooManyProofs,
  storage_unavailable: (operation, { world, refusing }) => ({
    asked: validRequest(operation, world.known),
    url: refusing.cutOff,
  }),
}

/** How to come to answers that the operation's example alone does not lead to, by operation and status or code. */
export const ownWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  ...hostedWays,
  ...memberWays,
  ...signInWays,
  ...consoleWays,
  ...webhookWays,
  ...secretWays,
  ...routeWays,
  ...grantWays,
  ...slackWays,
  ...toolWays,
  ready: {
    503: (operation, { world, refusing }) => ({
      asked: validRequest(operation, world.known),
      url: refusing.cutOff,
    }),
  },
  submit_action: {
    202: changed(asked => withHeaders(inSlowSystem(asked), { prefer: 'wait=0' })),
    tenant_not_found: withKey(({ world }) => issued(world, { tenant_id: 'nobody' })),
    action_erased: async (operation, { world }) => {
      const before = validRequest(operation, world.known)
      const { text } = await world.ask(operation, before)
      await erase(world, (JSON.parse(text) as { action_id: string }).action_id)
      return { asked: before }
    },
    proposal_conflict: (operation, { world }) => {
      const before = validRequest(operation, world.known)
      return { before, asked: { ...before, body: String(before.body).replace('Refund', 'Return') } }
    },
    concurrent_change: (operation, { world, refusing }) => ({
      asked: validRequest(operation, world.known),
      url: refusing.overtaken,
    }),
  },
  read_action: {
    action_erased: async (operation, { world }) => {
      const params = { action_id: await executed(world) }
      await erase(world, params.action_id)
      return { asked: validRequest(operation, { ...world.known, params }) }
    },
    304: unchanged,
  },
  openapi: { 304: unchanged },
  openapi_json: { 304: unchanged },
  read_approval: {
    200: async (operation, { world }) => ({
      asked: validRequest(operation, { ...world.known, params: { action_id: await world.held() } }),
    }),
  },
  read_review: {
    200: async (operation, { world }) => ({
      asked: validRequest(operation, { ...world.known, params: { action_id: await world.held() } }),
    }),
  },
  approve_action: {
    200: onHeld('payments', 'wait=10'),
    202: onHeld('slow', 'wait=0'),
    approval_already_counted: bySameHolder('approver'),
    own_proposal: bySameHolder('agent'),
    proposal_mismatch: approvingAnother('proposal_hash'),
    request_mismatch: approvingAnother('request_hash'),
    frozen: async (operation, { world: { known, service } }) => {
      const frozen = await service.tenant()
      const { body } = await frozen.submit({ risk: 'high' })
      await service.call('POST', `/v1/tenants/${frozen.id}/freeze`, {
        admin: service.admin,
        json: { reason: 'of a test' },
      })
      const credentials = { ...known.credentials, approver: frozen.approver }
      const params = { action_id: body.action_id }
      return { asked: validRequest(operation, { ...known, credentials, params }) }
    },
  },
  cancel_action: {
    200: onHeld('payments', ''),
    not_the_proposer: async (operation, { world }) => {
      const agent = await issued(world, {})
      const credentials = { ...world.known.credentials, agent }
      const params = { action_id: await world.held() }
      return { asked: validRequest(operation, { ...world.known, credentials, params }) }
    },
  },
  resolve_action: {
    200: onUnknown,
    conflicting_evidence: async (operation, stage) => {
      const { asked } = await onUnknown(operation, stage)
      await plantLateResult(stage.world, asked.params.action_id ?? '')
      return { asked: withBody(asked, { outcome: 'execution_failed', note: 'of a test' }) }
    },
    action_not_resolvable: (operation, { world: { known, tenant } }) => ({
      asked: validRequest(operation, { ...known, params: { ...known.params, tenant_id: tenant.id } }),
    }),
    action_not_found: changed(asked => asked),
  },
  erase_action: {
    200: onExecuted,
    action_not_erasable: async (operation, { world: { known, tenant, held } }) => {
      const params = { tenant_id: tenant.id, action_id: await held() }
      return { asked: validRequest(operation, { ...known, params }) }
    },
    action_not_found: changed(asked => asked),
  },
  revoke_admin_key: {
    key_not_found: changed(asked => ({ ...asked, params: { key_id: 'adk_aaaaaaaaaaaaaaaa' } })),
    last_admin_key: async (operation, { world: { known, service } }) => {
      const others = await service.call<{ api_keys: ApiKey[] }>('GET', '/v1/admin-keys?limit=200', {
        admin: service.admin,
      })
      const own = service.admin.split('.')[0] ?? ''
      for (const { key_id } of others.body.api_keys.filter(key => key.key_id !== own)) {
        await service.call('POST', `/v1/admin-keys/${key_id}/revoke`, { admin: service.admin, json: {} })
      }
      return { asked: validRequest(operation, { ...known, ownParams: {}, params: { key_id: own } }) }
    },
  },
  reject_action: { 200: onHeld('payments', '') },
  edit_action: editWays('key'),
  comment_action: { 200: onHeld('payments', '') },
  create_tenant: {
    tenant_conflict: (operation, { world }) => {
      const before = validRequest(operation, world.known)
      return { before, asked: before }
    },
  },
  replace_policy: {
    ...provedWays({ ...examplePolicy, approval_required_at: 'high' }),
    revision_mismatch: changed(asked => withHeaders(asked, { 'if-match': '"99"' })),
  },
  rollback_policy: {
    ...provedWays({ revision: 1 }),
    revision_not_found: changed(asked => withBody(asked, { revision: 99 })),
  },
  read_catalog: { catalog_not_found: inBareTenant },
  create_catalog: {
    ...provedWays(takingNothing),
    catalog_conflict: (operation, { world: { known } }) => ({
      asked: validRequest(operation, { ...known, ownParams: {} }),
    }),
  },
  revise_catalog: {
    ...provedWays(takingNothing, catalogChange),
    catalog_not_found: inBareTenant,
    revision_mismatch: changed(asked => withHeaders(asked, { 'if-match': '"99"' })),
  },
  read_catalog_revision: {
    catalog_not_found: changed(asked => ({ ...asked, params: { ...asked.params, revision: '99' } })),
  },
  resume: { freeze_not_found: changed(asked => withBody(asked, ofElsewhere)) },
  unfreeze: { freeze_not_found: changed(asked => withBody(asked, ofElsewhere)) },
  log_checkpoint: { checkpoint_not_found: ofNobody },
  log_entries: { checkpoint_not_found: ofNobody },
  log_inclusion: { checkpoint_not_found: ofNobody },
  integration: { tenant_not_found: ofNobody },
}

/** Answers that no request leads to, each with the reason. */
export const withoutWay: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'health',
      'health_v1',
      'ready',
      'policy_templates',
      'metrics',
      'openapi',
      'openapi_json',
      'json_schema',
      'read_sign_in',
      'read_operator_sign_in',
    ].map(name => [
      `${name} internal_error`,
      'it depends on nothing that could be made to fail from outside',
    ]),
  ),
  'create_owned_tenant tenant_conflict': 'its id is made with 40 random bits',
}

const twoKeys = changed(asked =>
  withHeaders(asked, { authorization: 'Bearer one', 'x-service-api-key': 'another' }),
)

function changed(change: (asked: Asked) => Asked): Way {
  return (operation, { world }) => ({ asked: change(validRequest(operation, world.known)) })
}

function withHeaders(asked: Asked, headers: Record<string, string>): Asked {
  return { ...asked, headers: { ...asked.headers, ...headers } }
}

function withBody(asked: Asked, body: object): Asked {
  return { ...asked, body: JSON.stringify(body) }
}

function withoutCredentials({ headers, ...asked }: Asked): Asked {
  const { authorization: _bearer, 'x-service-admin-key': _admin, cookie: _session, ...others } = headers
  return { ...asked, headers: others }
}

function withKey(find: (stage: Stage, operation: Operation) => Promise<string>): Way {
  return async (operation, stage) => {
    const key = await find(stage, operation)
    const asked = withoutCredentials(validRequest(operation, stage.world.known))
    const takesBearer = operation.security.some(scheme => 'bearer' in scheme)
    const header = takesBearer ? { authorization: `Bearer ${key}` } : { 'x-service-admin-key': key }
    return { asked: withHeaders(asked, header) }
  }
}

async function onCallKey({ service }: World): Promise<string> {
  const key = { name: 'on call', scope: 'on_call', tenant_id: null, expires_at: null } as const
  return (await plantKey(service.context, key)).api_key
}

function inSlowSystem(asked: Asked): Asked {
  return { ...asked, body: String(asked.body).replace('"payments"', '"slow"') }
}

/** Of a tenant that is not there, by a key that is. */
async function ofNobody(operation: Operation, { world }: Stage): Promise<Attempt> {
  const agent = await issued(world, { tenant_id: 'nobody' })
  const credentials = { ...world.known.credentials, agent }
  return { asked: validRequest(operation, { ...world.known, credentials }) }
}

/** Of a tenant that has no catalog yet. */
async function inBareTenant(operation: Operation, { world: { known, service } }: Stage): Promise<Attempt> {
  const { id } = await service.tenant()
  return { asked: validRequest(operation, { ...known, params: { tenant_id: id } }) }
}

function onHeld(system: string, prefer: string): Way {
  return async (operation, { world }) => {
    const asked = validRequest(operation, world.known)
    return { asked: withHeaders({ ...asked, params: { action_id: await world.held(system) } }, { prefer }) }
  }
}

/** A held action of which so much was said that no comment finds room. */
async function commentedEnough(operation: Operation, { world }: Stage): Promise<Attempt> {
  const { service, tenant, known } = world
  const action_id = await world.held()
  const texts = Array.from({ length: limits.commented_events_max - 2 }, (_, at) => `comment ${at}`)
  for (const text of texts) {
    const json = { kind: 'comment', text }
    await service.call('POST', `/v1/actions/${action_id}/comments`, { key: tenant.approver, json })
  }
  return { asked: validRequest(operation, { ...known, params: { ...known.params, action_id } }) }
}

function crowded(operation: Operation, { world, refusing }: Stage): Attempt {
  return { asked: validRequest(operation, world.known), url: refusing.crowded }
}

/** An action of the tenant whose outcome is unknown. */
async function onUnknown(operation: Operation, { world: { known, tenant } }: Stage): Promise<Attempt> {
  const { body } = await tenant.submit({ system: 'lost', operation: 'pay' })
  const params = { tenant_id: tenant.id, action_id: body.action_id }
  return { asked: validRequest(operation, { ...known, params }) }
}

async function onExecuted(operation: Operation, { world }: Stage): Promise<Attempt> {
  const params = { tenant_id: world.tenant.id, action_id: await executed(world) }
  return { asked: validRequest(operation, { ...world.known, params }) }
}

async function executed({ tenant }: World): Promise<string> {
  const { body } = await tenant.submit({ system: 'payments', operation: 'pay' })
  await tenant.settled(body.action_id)
  return body.action_id
}

async function erase({ service, tenant }: World, action_id: string): Promise<void> {
  const path = `/v1/tenants/${tenant.id}/actions/${action_id}/erase`
  const { status } = await service.call('POST', path, { admin: service.admin, json: { reason: 'of a test' } })
  if (status !== 200) throw new Error(`erasing answered ${status}`)
}

async function plantLateResult({ service, tenant }: World, action_id: string): Promise<void> {
  const late = { action_id, tenant_id: tenant.id, token: 1, worker: 'wrk_late', detail: {} }
  await service.context.store.write([tenant.id], writer => insertLateResult(writer, late))
}

async function revokedKey({ world }: Stage): Promise<string> {
  const key = await issued(world, {})
  const path = `/v1/tenants/${world.tenant.id}/api-keys/${key.split('.')[0]}/revoke`
  await world.service.call('POST', path, { admin: world.service.admin })
  return key
}

async function issued({ service, tenant }: World, traits: Partial<KeyToIssue>): Promise<string> {
  const key = { name: 'of a test', scope: 'agent', tenant_id: tenant.id, expires_at: null } as const
  return (await plantKey(service.context, { ...key, ...traits })).api_key
}

/** An approval of something else than what is held. */
function approvingAnother(member: 'proposal_hash' | 'request_hash'): Way {
  return async (operation, { world }) => {
    const params = { action_id: await world.held() }
    const asked = validRequest(operation, { ...world.known, params })
    return { asked: withBody(asked, { [member]: `sha256:${'0'.repeat(64)}` }) }
  }
}

function isOfSession({ security: [first = {}] }: Operation): boolean {
  return 'session' in first || 'operator_session' in first
}
