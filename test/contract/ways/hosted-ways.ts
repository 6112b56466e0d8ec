import { request } from 'node:http'
import type { ErrorCode } from '../../../shared/contract/base/errors.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import { catalogChange } from '../../../shared/contract/examples/example-changes.ts'
import { examplePolicy } from '../../../shared/contract/examples/example-policy.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { plantFreezes } from '../../support/service/plant-freezes.ts'
import { plantReset } from '../../support/service/plant-reset.ts'
import type { Operation } from '../contract-document.ts'
import { largePolicy } from '../proof-ways.ts'
import { type Asked, type Known, pathOf, validRequest } from '../valid-request.ts'
import { give, sessionOf, type World } from '../world.ts'
import { editWays } from './edit-ways.ts'
import { provedWays, takingNothing } from './proved-ways.ts'
import { byOwnerThemselves } from './quorum-ways.ts'
import { changeWays, ownedToolWays, removeWays } from './tool-ways.ts'
import type { Attempt, Stage, Way } from './way.ts'

/** How to come to the errors of sessions, wherever one is needed. */
export const sessionWays: Partial<Record<ErrorCode, Way>> = {
  session_required: withHeaders({ cookie: 'service_session=none' }),
  csrf_refused: withHeaders({ 'x-service-csrf': 'another' }),
  cross_site_request: withHeaders({ origin: 'https://elsewhere.example' }),
}

/** An API key beside a session. */
export const keyBesideSession: Way = withHeaders({ 'x-service-api-key': 'agk_aaaaaaaaaaaaaaaa.wrong' })

/** Every header that a row may take, and none of them as it must be. */
export const malformedHeaders: Way = withHeaders({
  prefer: 'wait=999',
  'if-match': 'nonsense',
  'last-event-id': 'nonsense',
})

/** How to come to the answers of accounts, and of what an owner does in an application. */
export const hostedWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  sign_up: {
    account_conflict: (operation, { world }) => {
      const before = validRequest(operation, world.known)
      return { before, asked: before }
    },
  },
  log_in: {
    200: async (operation, { world }) => {
      const { email, password } = await signUp(world.service.call)
      return { asked: withBody(validRequest(operation, world.known), { email, password }) }
    },
    login_refused: (operation, { world }) => ({ asked: validRequest(operation, world.known) }),
  },
  request_password_reset: {
    202: (operation, { world, refusing }) => ({
      asked: validRequest(operation, world.known),
      url: refusing.unkeyed,
    }),
    mail_not_configured: asDocumented,
  },
  read_password_reset: {
    reset_not_found: asDocumented,
    200: withReset(token => ({ token })),
  },
  complete_password_reset: {
    reset_not_found: asDocumented,
    200: withReset((token, { account_id }) => ({ token, account_id, password: 'one more long phrase' })),
    account_conflict: async (operation, stage) => {
      const { email } = await signUp(stage.world.service.call, { password: 'one more long phrase' })
      return withReset((token, { account_id }) => ({ token, account_id, password: 'one more long phrase' }), {
        email,
      })(operation, stage)
    },
  },
  log_out: { 200: inOwnSession },
  replace_owned_policy: {
    ...given(provedWays({ ...examplePolicy, approval_required_at: 'high' })),
    revision_mismatch: withHeaders({ 'if-match': '"99"' }),
  },
  revise_owned_catalog: {
    ...given(provedWays(takingNothing, catalogChange)),
    revision_mismatch: withHeaders({ 'if-match': '"99"' }),
  },
  change_owned_tool: {
    ...given(changeWays),
    revision_mismatch: ownedToolWays.versions,
    overloaded: ownedToolWays.unread,
    body_too_large: ownedToolWays.tooLarge,
  },
  remove_owned_tool: {
    ...given(removeWays),
    tool_not_found: ownedToolWays.ofNoTool,
    too_many_proofs: given({ it: largeTenant }).it as Way,
  },
  pause_owned_tenant: given({ too_many_freezes: ofFrozenTenant }),
  resume_owned_tenant: {
    freeze_not_found: (operation, { world: { known } }) => ({ asked: ofElsewhere(operation, known) }),
    stopped_by_operator: ofStopped('pause'),
  },
  freeze_owned_tenant: given({ too_many_freezes: ofFrozenTenant }),
  unfreeze_owned_tenant: {
    freeze_not_found: (operation, { world: { known } }) => ({ asked: ofElsewhere(operation, known) }),
    stopped_by_operator: ofStopped('freeze'),
  },
  read_owned_catalog: { catalog_not_found: inBareTenant },
  read_owned_action: { 304: unchanged, action_erased: onErased },
  read_tenant_action: { 304: unchanged, action_erased: onErased },
  approve_owned_action: {
    200: onHeld('payments', 'wait=10'),
    202: onHeld('slow', 'wait=0'),
    approval_already_counted: byOwnerThemselves('approver'),
    own_proposal: byOwnerThemselves('agent'),
    action_not_approvable: (operation, { world }) => ({ asked: validRequest(operation, world.known) }),
    proposal_mismatch: approvingAnother('proposal_hash'),
    request_mismatch: approvingAnother('request_hash'),
    frozen: async (operation, { world: { known, service } }) => {
      const tenant = await service.tenant()
      const { body } = await tenant.submit({ risk: 'high' })
      await giveTo(known.credentials.session, service, tenant.id)
      const path = `/v1/tenants/${tenant.id}/freeze`
      await service.call('POST', path, { admin: service.admin, json: { reason: 'of a test' } })
      const params = { tenant_id: tenant.id, action_id: body.action_id }
      return { asked: { ...validRequest(operation, known), params } }
    },
  },
  owned_inbox: {
    tenant_not_found: (operation, { world: { known } }) => ({
      asked: { ...validRequest(operation, known), query: { tenant_id: 'nobody' } },
    }),
  },
  owned_inbox_groups: {
    tenant_not_found: (operation, { world: { known } }) => ({
      asked: { ...validRequest(operation, known), query: { by: 'risk', tenant_id: 'nobody' } },
    }),
  },
  read_owned_approval: { 200: onHeld('payments', '') },
  read_owned_review: { 200: onHeld('payments', '') },
  reject_owned_action: { 200: onHeld('payments', '') },
  edit_owned_action: editWays('owner'),
  comment_owned_action: { 200: onHeld('payments', '') },
  follow_tenant: {
    too_many_streams: async (operation, { world }) => {
      const { known, service } = world
      const { agent } = await service.tenant()
      const asked = validRequest(operation, { ...known, credentials: { ...known.credentials, agent } })
      await openStreams(world, operation, asked)
      return { asked }
    },
  },
  follow_owned_tenant: {
    too_many_streams: async (operation, { world }) => {
      const { browser, tenant_id } = await signUp(world.service.call)
      const { session, csrf } = sessionOf({ browser })
      const { params, ...asked } = validRequest(operation, {
        ...world.known,
        credentials: { ...world.known.credentials, session, csrf },
      })
      const own = { ...asked, params: { ...params, tenant_id } }
      await openStreams(world, operation, own)
      return { asked: own }
    },
  },
}

function withHeaders(headers: Record<string, string>): Way {
  return (operation, { world }) => {
    const asked = validRequest(operation, world.known)
    return { asked: { ...asked, headers: { ...asked.headers, ...headers } } }
  }
}

function asDocumented(operation: Operation, { world }: Stage): Attempt {
  return { asked: validRequest(operation, world.known) }
}

/** By the link that an e-mail took to a new owner. */
function withReset(body: (token: string, owner: TestOwner) => object, traits: { email?: string } = {}): Way {
  return async (operation, { world: { known, service } }) => {
    const owner = await signUp(service.call, traits)
    const token = await plantReset(service.context, owner.email)
    return { asked: withBody(validRequest(operation, known), body(token, owner)) }
  }
}

function withBody(asked: Asked, body: object): Asked {
  return { ...asked, body: JSON.stringify(body) }
}

/** A tenant that has as many freezes as it may. */
async function ofFrozenTenant(operation: Operation, { world: { known, service } }: Stage): Promise<Attempt> {
  const { id } = await service.tenant()
  await plantFreezes(service.context, id)
  return { asked: ofElsewhere(operation, { ...known, params: { ...known.params, tenant_id: id } }) }
}

/** Of a tenant that an operator paused or froze. */
function ofStopped(verb: 'pause' | 'freeze'): Way {
  return async (operation, { world: { known, service } }) => {
    const asked = ofElsewhere(operation, known)
    const place = `/v1/tenants/${asked.params.tenant_id}/${verb}`
    await service.call('POST', place, { admin: service.admin, json: JSON.parse(asked.body ?? '{}') })
    return { asked }
  }
}

function ofElsewhere(operation: Operation, known: Known): Asked {
  return withBody(validRequest(operation, known), { reason: 'of a test', system: 'elsewhere' })
}

/** A new account's, which nothing else asks for. */
async function inOwnSession(operation: Operation, { world: { known, service } }: Stage): Promise<Attempt> {
  const own = sessionOf(await signUp(service.call))
  const credentials = { ...known.credentials, ...own }
  return { asked: validRequest(operation, { ...known, credentials }) }
}

/** Ways that make a tenant of their own, which is then given to the owner. */
function given(ways: Readonly<Record<string, Way>>): Record<string, Way> {
  const entries = Object.entries(ways).map(([code, way]): [string, Way] => [
    code,
    async (operation, stage) => {
      const attempt = await way(operation, stage)
      const { known, service } = stage.world
      await giveTo(known.credentials.session, service, attempt.asked.params.tenant_id ?? '')
      return attempt
    },
  ])
  return Object.fromEntries(entries)
}

/** Of a tenant whose policy is read in slices, while as many proofs are under way as may be. */
async function largeTenant(
  operation: Operation,
  { world: { known, service }, refusing }: Stage,
): Promise<Attempt> {
  const { id } = await service.tenant({ policy: largePolicy })
  const params = { tenant_id: id, system: 'payments' }
  return { asked: validRequest(operation, { ...known, ownParams: {}, params }), url: refusing.proving }
}

async function inBareTenant(operation: Operation, { world: { known, service } }: Stage): Promise<Attempt> {
  const { id } = await service.tenant()
  await giveTo(known.credentials.session, service, id)
  return { asked: validRequest(operation, { ...known, params: { tenant_id: id } }) }
}

function onHeld(system: string, prefer: string): Way {
  return async (operation, { world }) => {
    const { params, headers, ...asked } = validRequest(operation, world.known)
    const action_id = await world.held(system)
    return { asked: { ...asked, params: { ...params, action_id }, headers: { ...headers, prefer } } }
  }
}

/** Asks again with the tag of the first answer. */
export async function unchanged(operation: Operation, { world }: Stage): Promise<Attempt> {
  const asked = validRequest(operation, world.known)
  const { headers } = await world.ask(operation, asked)
  return { asked: { ...asked, headers: { ...asked.headers, 'if-none-match': String(headers.etag) } } }
}

async function onErased(operation: Operation, { world }: Stage): Promise<Attempt> {
  const { service, tenant, known } = world
  const { body } = await tenant.submit({ system: 'payments', operation: 'pay' })
  await tenant.settled(body.action_id)
  const path = `/v1/tenants/${tenant.id}/actions/${body.action_id}/erase`
  await service.call('POST', path, { admin: service.admin, json: { reason: 'of a test' } })
  const params = { tenant_id: tenant.id, action_id: body.action_id }
  return { asked: { ...validRequest(operation, known), params } }
}

/** As many as one principal may have; they end with the service. */
async function openStreams({ service }: World, operation: Operation, asked: Asked): Promise<void> {
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request(service.url + pathOf(operation, asked), { headers: asked.headers }, response => {
        response.once('data', () => resolve())
        response.on('error', () => undefined)
      })
      sent.once('error', reject)
      sent.end()
    })
  for (let opened = 0; opened < limits.streams_per_holder_max; opened += 1) await open()
}

async function giveTo(session: string, service: Stage['world']['service'], tenantId: string): Promise<void> {
  const profile = await service.call<{ account: { account_id: string } }>('GET', '/v1/accounts/session', {
    headers: { cookie: `service_session=${session}` },
  })
  await give(service, profile.body.account.account_id, tenantId)
}

/** An approval of something else than what is held. */
function approvingAnother(member: 'proposal_hash' | 'request_hash'): Way {
  return async (operation, stage) => {
    const { asked } = await onHeld('payments', '')(operation, stage)
    return { asked: withBody(asked, { [member]: `sha256:${'0'.repeat(64)}` }) }
  }
}
