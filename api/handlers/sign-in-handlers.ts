import type { signInEndpoints } from '../../shared/contract/endpoints/sign-in-endpoints.ts'
import { endAtIssuer } from '../../shared/flow/account/end-at-issuer.ts'
import { signInMsMax } from '../../shared/flow/account/issuer-attempt.ts'
import {
  beginSignIn,
  completeSignIn,
  linkedIdentities,
  signInWays,
  unlinkIdentity,
} from '../../shared/flow/account/sign-in-elsewhere.ts'
import { cookiesOf, type Handlers } from './handler.ts'

export const signInHandlers: Handlers<typeof signInEndpoints> = {
  async read_sign_in(context) {
    return { status: 200, body: signInWays(context) }
  },
  async begin_sign_in(context, { body, visitor }) {
    const { authorization_url, sign_in_token: value } = await beginSignIn(context, body, visitor)
    const cookies = [{ name: 'service_sign_in' as const, value, ms_max: signInMsMax }]
    return { status: 200, body: { authorization_url }, cookies }
  },
  async complete_sign_in(context, { body, visitor }) {
    const { profile, ...tokens } = await completeSignIn(context, body, visitor)
    const over = { name: 'service_sign_in' as const, value: null, ms_max: 0 }
    return { status: 200, body: profile, cookies: [...cookiesOf(context, tokens), over] }
  },
  async end_at_issuer(context, { params, body }) {
    await endAtIssuer(context, params.issuer, body.logout_token)
    return { status: 200, body: { status: 'ended' } }
  },
  async list_identities(context, { session }) {
    return { status: 200, body: { identities: await linkedIdentities(context, session) } }
  },
  async link_identity(context, { session, body: { issuer } }) {
    const link = { issuer, account_id: session.account.account_id }
    const begun = await beginSignIn(context, link, { sign_in_token: null })
    const { authorization_url, sign_in_token: value } = begun
    const cookies = [{ name: 'service_sign_in' as const, value, ms_max: signInMsMax }]
    return { status: 200, body: { authorization_url }, cookies }
  },
  async unlink_identity(context, { session, body }) {
    return { status: 200, body: { ended: await unlinkIdentity(context, session, body) } }
  },
}
