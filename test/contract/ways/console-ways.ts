import type { ErrorCode } from '../../../shared/contract/base/errors.ts'
import type { OperatorInvited } from '../../../shared/contract/operator-schema.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { type Browser, newBrowser } from '../../support/service/owner.ts'
import { plantOperator } from '../../support/service/plant-operator.ts'
import type { Operation } from '../contract-document.ts'
import { type Asked, consoleHeaders, validRequest } from '../valid-request.ts'
import { downUrl, type World } from '../world.ts'
import { sessionWays } from './hosted-ways.ts'
import type { Attempt, Stage, Way } from './way.ts'

/** How to come to the errors of sessions where one of the console may ask, and else as owners do. */
export const consoleErrorWays: Partial<Record<ErrorCode, Way>> = {
  session_required: inConsole({ cookie: 'service_operator_session=none' }, sessionWays.session_required),
  csrf_refused: inConsole({ 'x-service-csrf': 'another' }, sessionWays.csrf_refused),
  cross_site_request: inConsole({ origin: 'https://elsewhere.example' }, sessionWays.cross_site_request),
  operator_not_found: (operation, { world }) => ({
    asked: { ...validRequest(operation, world.known), params: { operator_id: `opr_${'a'.repeat(16)}` } },
  }),
}

/** How to come to the answers about operators and how they sign in. */
export const consoleWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  change_operator: { 200: (operation, stage) => ofNew(operation, stage) },
  remove_operator: { 200: (operation, stage) => ofNew(operation, stage) },
  begin_operator_sign_in: {
    issuer_not_found: withBody({ issuer: 'nobody' }),
    issuer_unavailable: withBody({ issuer: 'down' }),
    invitation_not_found: withBody({ issuer: 'example', invitation: 'nothing' }),
  },
  complete_operator_sign_in: {
    200: async (operation, stage) => cameBack(operation, stage, 'new', (await invite(stage.world)).token),
    sign_in_refused: (operation, { world }) => ({ asked: validRequest(operation, world.known) }),
    identity_unknown: (operation, stage) => cameBack(operation, stage, 'nobody'),
    identity_taken: async (operation, stage) => {
      await signedIn(stage.world, 'taken', (await invite(stage.world)).token)
      return cameBack(operation, stage, 'taken', (await invite(stage.world)).token)
    },
    invitation_not_found: (operation, stage) => cameBack(operation, stage, 'late', 'A'.repeat(43)),
    invitation_used: async (operation, stage) => {
      const { token } = await invite(stage.world)
      await signedIn(stage.world, 'first', token)
      return cameBack(operation, stage, 'late', token)
    },
    invitation_ended: async (operation, stage) => {
      const { token, operator } = await invite(stage.world)
      await asSuperuser(
        stage.world.service.database,
        `update action_gate.operators set removed_at = now() where operator_id = '${operator.operator_id}'`,
      )
      return cameBack(operation, stage, 'late', token)
    },
    issuer_not_found: withBody({ issuer: 'nobody', parameters: 'code=c' }),
    internal_error: at(({ failing }) => failing),
    storage_unavailable: at(({ cutOff }) => cutOff),
    issuer_unavailable: (operation, stage) => {
      stage.world.issuer.answers.set('/token', response => {
        stage.world.issuer.answers.delete('/token')
        response.destroy()
      })
      return cameBack(operation, stage, 'late')
    },
  },
  end_operators_at_issuer: {
    200: (operation, { world }) => ({
      asked: asking(operation, world, { logout_token: world.issuer.logoutToken() }),
    }),
    logout_refused: (operation, { world }) => ({ asked: validRequest(operation, world.known) }),
    internal_error: leaving(({ failing }) => failing),
    storage_unavailable: leaving(({ cutOff }) => cutOff),
    issuer_not_found: atIssuer('nobody'),
    issuer_unavailable: atIssuer('down'),
  },
  sign_out_operator: {
    200: async (operation, { world }) => {
      const { known, service } = world
      const credentials = { ...known.credentials, ...(await plantOperator(service.context)) }
      return { asked: validRequest(operation, { ...known, credentials }) }
    },
  },
}

/** With something wrong in the headers of an operator's session, where the row takes one. */
function inConsole(headers: Record<string, string>, other: Way | undefined): Way {
  return (operation, stage) => {
    const takes = operation.security.some(scheme => 'operator_session' in scheme)
    if (!takes && other) return other(operation, stage)
    const { known } = stage.world
    const { headers: valid, ...asked } = validRequest(operation, known)
    const { 'x-service-admin-key': _, ...others } = valid
    return { asked: { ...asked, headers: { ...others, ...consoleHeaders(known.credentials), ...headers } } }
  }
}

async function ofNew(operation: Operation, { world: { known, service } }: Stage): Promise<Attempt> {
  const { operator_id } = await plantOperator(service.context)
  return { asked: { ...validRequest(operation, known), params: { operator_id } } }
}

function withBody(body: object): Way {
  return (operation, { world }) => ({ asked: asking(operation, world, body) })
}

function asking(operation: Operation, { known }: World, body: object): Asked {
  return { ...validRequest(operation, known), body: JSON.stringify(body) }
}

/** A sign-in that might be one, at a service that cannot look it up. */
function at(place: (refusing: Stage['refusing']) => string): Way {
  return (operation, { world, refusing }) => {
    const token = 'A'.repeat(43)
    const asked = asking(operation, world, { issuer: 'example', parameters: `code=c&state=${token}` })
    const headers = { ...asked.headers, cookie: `__Host-service_operator_sign_in=${token}` }
    return { asked: { ...asked, headers }, url: place(refusing) }
  }
}

/** A token that holds, at a service that cannot keep that it came. */
function leaving(place: (refusing: Stage['refusing']) => string): Way {
  return (operation, { world, refusing }) => ({
    asked: asking(operation, world, { logout_token: world.issuer.logoutToken() }),
    url: place(refusing),
  })
}

/** With a token that says that it is of the issuer that is down: others are refused before it is asked. */
function atIssuer(issuer: string): Way {
  return (operation, { world }) => ({
    asked: {
      ...asking(operation, world, { logout_token: world.issuer.logoutToken({ iss: downUrl }) }),
      params: { issuer },
    },
  })
}

async function invite({ service }: World): Promise<OperatorInvited & { token: string }> {
  const json = { label: 'Somebody', role: 'on_call' }
  const { body } = await service.call<OperatorInvited>('POST', '/v1/operators', {
    admin: service.admin,
    json,
  })
  return { ...body, token: new URL(body.invitation_url).hash.slice(1) }
}

/** What the issuer sends a browser back with. */
async function returning(
  { issuer }: World,
  browser: Browser,
  sub: string,
  invitation: string | undefined,
): Promise<string> {
  const json = { issuer: 'example', ...(invitation === undefined ? {} : { invitation }) }
  const path = '/v1/operators/sign-in'
  const { body } = await browser.call<{ authorization_url: string }>('POST', path, { json })
  const { searchParams } = new URL(body.authorization_url)
  issuer.attempt.nonce = searchParams.get('nonce') ?? ''
  issuer.claims = { sub: `console-${sub}` }
  const state = searchParams.get('state') ?? ''
  return String(new URLSearchParams({ code: 'c', state, iss: issuer.url }))
}

async function cameBack(
  operation: Operation,
  { world }: Stage,
  sub: string,
  invitation?: string,
): Promise<Attempt> {
  const browser = newBrowser(world.service.call)
  const parameters = await returning(world, browser, sub, invitation)
  const asked = asking(operation, world, { issuer: 'example', parameters })
  const cookie = [...browser.cookies].map(pair => pair.join('=')).join('; ')
  return { asked: { ...asked, headers: { ...asked.headers, cookie } } }
}

async function signedIn(world: World, sub: string, invitation: string): Promise<void> {
  const browser = newBrowser(world.service.call)
  const parameters = await returning(world, browser, sub, invitation)
  const json = { issuer: 'example', parameters }
  await browser.call('POST', '/v1/operators/sign-in/complete', { json })
}
