import { invite } from '../../support/service/member.ts'
import { type Browser, newBrowser, signUp } from '../../support/service/owner.ts'
import type { Operation } from '../contract-document.ts'
import { type Asked, validRequest } from '../valid-request.ts'
import { downUrl, sessionOf, type World } from '../world.ts'
import type { Attempt, Stage, Way } from './way.ts'

/** How to come to the answers of sign-ins at an issuer. */
export const signInWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  begin_sign_in: {
    issuer_not_found: withBody({ issuer: 'nobody' }),
    issuer_unavailable: withBody({ issuer: 'down' }),
    invitation_not_found: withBody({ issuer: 'example', invitation: 'nothing' }),
  },
  complete_sign_in: {
    200: (operation, stage) => cameBack(operation, stage, { organization: 'Example Shop' }),
    sign_in_refused: (operation, { world }) => ({ asked: validRequest(operation, world.known) }),
    identity_unknown: (operation, stage) => cameBack(operation, stage, { sub: 'nobody' }),
    identity_taken: async (operation, stage) => {
      const { browser } = await signUp(stage.world.service.call)
      await signedIn(stage.world, 'taken')
      return cameBack(operation, stage, { sub: 'taken', browser })
    },
    already_member: async (operation, stage) => {
      await signedIn(stage.world, 'member')
      return cameBack(operation, stage, { sub: 'member', invitation: await invitationIn(stage.world) })
    },
    invitation_used: async (operation, stage) => {
      const invitation = await invitationIn(stage.world)
      const attempt = await cameBack(operation, stage, { sub: 'late', invitation })
      const json = { token: invitation, email: 'first@example.org', password: 'one more long phrase' }
      await stage.world.service.call('POST', '/v1/accounts/invitations/accept', { json })
      return attempt
    },
    invitation_ended: async (operation, stage) => {
      const owner = await signUp(stage.world.service.call)
      const made = await invite(owner, {})
      const attempt = await cameBack(operation, stage, { sub: 'late', invitation: made.token })
      const path = `/v1/accounts/invitations/${made.invitation.invitation_id}/revoke`
      await owner.browser.call('POST', path)
      return attempt
    },
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
  end_at_issuer: {
    200: (operation, { world }) => ({
      asked: asking(operation, world.known, { logout_token: world.issuer.logoutToken() }),
    }),
    logout_refused: (operation, { world }) => ({ asked: validRequest(operation, world.known) }),
    internal_error: leaving(({ failing }) => failing),
    storage_unavailable: leaving(({ cutOff }) => cutOff),
    issuer_not_found: atIssuer('nobody'),
    issuer_unavailable: atIssuer('down'),
  },
  link_identity: {
    issuer_not_found: withBody({ issuer: 'nobody' }),
    issuer_unavailable: withBody({ issuer: 'down' }),
  },
  unlink_identity: {
    200: unlinking('to-be-unlinked', 'another'),
    identity_not_found: withBody({ issuer: 'https://nobody.example', subject: 'nobody' }),
    last_identity: unlinking('the-last', null),
  },
}

/** A sign-in that might be one, at a service that cannot look it up. */
function at(place: (refusing: Stage['refusing']) => string): Way {
  return (operation, { world, refusing }) => {
    const token = 'A'.repeat(43)
    const asked = asking(operation, world.known, { issuer: 'example', parameters: `code=c&state=${token}` })
    return {
      asked: { ...asked, headers: { ...asked.headers, cookie: `__Host-service_sign_in=${token}` } },
      url: place(refusing),
    }
  }
}

/** A token that holds, at a service that cannot keep that it came. */
function leaving(place: (refusing: Stage['refusing']) => string): Way {
  return (operation, { world, refusing }) => ({
    asked: asking(operation, world.known, { logout_token: world.issuer.logoutToken() }),
    url: place(refusing),
  })
}

/** With a token that says that it is of the issuer that is down: others are refused before it is asked. */
function atIssuer(issuer: string): Way {
  return (operation, { world }) => {
    const asked = asking(operation, world.known, { logout_token: world.issuer.logoutToken({ iss: downUrl }) })
    return { asked: { ...asked, params: { issuer } } }
  }
}

function withBody(body: object): Way {
  return (operation, { world }) => ({ asked: asking(operation, world.known, body) })
}

function asking(operation: Operation, known: Stage['world']['known'], body: object): Asked {
  return { ...validRequest(operation, known), body: JSON.stringify(body) }
}

interface Returning {
  sub?: string
  /** Who is new makes an account with it. */
  organization?: string
  /** What is accepted by it. */
  invitation?: string
  /** An owner's, whose account is to be linked. */
  browser?: Browser
}

/** What the issuer sends a browser back with. */
async function returning(
  { issuer }: World,
  browser: Browser,
  path: string,
  more: Returning,
): Promise<string> {
  const { organization, invitation, sub = 'ann' } = more
  const json = {
    issuer: 'example',
    ...(organization === undefined ? {} : { organization }),
    ...(invitation === undefined ? {} : { invitation }),
  }
  const { body } = await browser.call<{ authorization_url: string }>('POST', path, { json })
  const { searchParams } = new URL(body.authorization_url)
  issuer.attempt.nonce = searchParams.get('nonce') ?? ''
  issuer.claims = { sub }
  const state = searchParams.get('state') ?? ''
  return String(new URLSearchParams({ code: 'c', state, iss: issuer.url }))
}

/** As whoever the issuer says, to sign in or to be linked. */
async function cameBack(operation: Operation, { world }: Stage, more: Returning): Promise<Attempt> {
  const { browser = newBrowser(world.service.call) } = more
  const path = more.browser ? '/v1/accounts/identities' : '/v1/accounts/sign-in'
  const parameters = await returning(world, browser, path, more)
  const asked = asking(operation, world.known, { issuer: 'example', parameters })
  const cookie = [...browser.cookies].map(pair => pair.join('=')).join('; ')
  return { asked: { ...asked, headers: { ...asked.headers, cookie } } }
}

/** The token of an invitation of an organization of its own. */
async function invitationIn({ service }: World): Promise<string> {
  return (await invite(await signUp(service.call), {})).token
}

/** Somebody who is known by the issuer, in a browser of their own. */
async function signedIn(world: World, sub: string): Promise<Browser> {
  const browser = newBrowser(world.service.call)
  const more = { sub, organization: 'Example Shop' }
  const parameters = await returning(world, browser, '/v1/accounts/sign-in', more)
  const json = { issuer: 'example', parameters }
  await browser.call('POST', '/v1/accounts/sign-in/complete', { json })
  return browser
}

/** The end of a link of somebody who is known by the issuer alone, or by one more identity. */
function unlinking(sub: string, another: string | null): Way {
  return async (operation, { world }) => {
    const browser = await signedIn(world, sub)
    if (another !== null) {
      const more = { sub: another, browser }
      const parameters = await returning(world, browser, '/v1/accounts/identities', more)
      await browser.call('POST', '/v1/accounts/sign-in/complete', { json: { issuer: 'example', parameters } })
    }
    const credentials = { ...world.known.credentials, ...sessionOf({ browser }) }
    return {
      asked: asking(operation, { ...world.known, credentials }, { issuer: world.issuer.url, subject: sub }),
    }
  }
}
