import { newBrowser } from '../../support/service/owner.ts'
import type { Operation } from '../contract-document.ts'
import { type Asked, validRequest } from '../valid-request.ts'
import type { Attempt, Stage, Way } from './way.ts'

/** How to come to the answers of sign-ins at an issuer. */
export const signInWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  begin_sign_in: {
    issuer_not_found: withBody({ issuer: 'nobody' }),
    issuer_unavailable: withBody({ issuer: 'down' }),
  },
  complete_sign_in: {
    200: (operation, stage) => cameBack(operation, stage, { organization: 'Example Shop' }),
    sign_in_refused: (operation, { world }) => ({ asked: validRequest(operation, world.known) }),
    identity_unknown: (operation, stage) => cameBack(operation, stage, { sub: 'nobody' }),
    issuer_not_found: withBody({ issuer: 'nobody', parameters: 'code=c' }),
    internal_error: at(({ failing }) => failing),
    storage_unavailable: at(({ cutOff }) => cutOff),
    issuer_unavailable: (operation, stage) => {
      stage.world.issuer.answers.set('/token', response => {
        stage.world.issuer.answers.delete('/token')
        response.destroy()
      })
      return cameBack(operation, stage, {})
    },
  },
}

/** A sign-in that might be one, at a service that cannot look it up. */
function at(place: (refusing: Stage['refusing']) => string): Way {
  return (operation, { world, refusing }) => {
    const token = 'A'.repeat(43)
    const asked = asking(operation, world.known, { issuer: 'example', parameters: `code=c&state=${token}` })
    return {
      asked: { ...asked, headers: { ...asked.headers, cookie: `service_sign_in=${token}` } },
      url: place(refusing),
    }
  }
}

function withBody(body: object): Way {
  return (operation, { world }) => ({ asked: asking(operation, world.known, body) })
}

function asking(operation: Operation, known: Stage['world']['known'], body: object): Asked {
  return { ...validRequest(operation, known), body: JSON.stringify(body) }
}

/** As whoever the issuer says; where a name for an organization is given, one that is new makes an account. */
async function cameBack(
  operation: Operation,
  { world }: Stage,
  { organization, sub = 'ann' }: { organization?: string; sub?: string },
): Promise<Attempt> {
  const { issuer, known, service } = world
  const browser = newBrowser(service.call)
  const json = { issuer: 'example', ...(organization === undefined ? {} : { organization }) }
  const { body } = await browser.call<{ authorization_url: string }>('POST', '/v1/accounts/sign-in', { json })
  const { searchParams } = new URL(body.authorization_url)
  issuer.attempt.nonce = searchParams.get('nonce') ?? ''
  issuer.claims = { sub }
  const parameters = new URLSearchParams({
    code: 'c',
    state: searchParams.get('state') ?? '',
    iss: issuer.url,
  })
  const asked = asking(operation, known, { issuer: 'example', parameters: String(parameters) })
  const cookie = `service_sign_in=${browser.cookies.get('service_sign_in')}`
  return { asked: { ...asked, headers: { ...asked.headers, cookie } } }
}
