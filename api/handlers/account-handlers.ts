import type { accountEndpoints } from '../../shared/contract/endpoints/account-endpoints.ts'
import { logIn } from '../../shared/flow/account/log-in.ts'
import { createOwnedTenant, listOwnedTenants } from '../../shared/flow/account/owned-tenants.ts'
import {
  completePasswordReset,
  readPasswordReset,
  requestPasswordReset,
} from '../../shared/flow/account/reset-password.ts'
import { listViews, saveViews } from '../../shared/flow/account/saved-views.ts'
import { logOut, sessionProfile } from '../../shared/flow/account/sessions.ts'
import { signUp } from '../../shared/flow/account/sign-up.ts'
import { cookiesOf, type Handlers } from './handler.ts'

export const accountHandlers: Handlers<typeof accountEndpoints> = {
  async sign_up(context, { body, visitor }) {
    const { signed_up, ...tokens } = await signUp(context, body, visitor)
    return { status: 201, body: signed_up, cookies: cookiesOf(context, tokens) }
  },
  async log_in(context, { body, visitor }) {
    const { profile, ...tokens } = await logIn(context, body, visitor)
    return { status: 200, body: profile, cookies: cookiesOf(context, tokens) }
  },
  async request_password_reset(context, { body, visitor }) {
    await requestPasswordReset(context, body.email, visitor)
    return { status: 202, body: { status: 'accepted' } }
  },
  async read_password_reset(context, { body }) {
    return { status: 200, body: await readPasswordReset(context, body.token) }
  },
  async complete_password_reset(context, { body, visitor }) {
    return { status: 200, body: { ended: await completePasswordReset(context, body, visitor) } }
  },
  async read_session(context, { session }) {
    return { status: 200, body: await sessionProfile(context, session) }
  },
  async log_out(context, { session, body }) {
    const left = await logOut(context, session, body.everywhere)
    return { status: 200, body: left, cookies: [{ name: 'service_session', value: null, ms_max: 0 }] }
  },
  async list_saved_views(context, { session }) {
    return { status: 200, body: await listViews(context, session) }
  },
  async replace_saved_views(context, { session, body }) {
    return { status: 200, body: await saveViews(context, session, body) }
  },
  async list_owned_tenants(context, { session, query }) {
    const page = { limit: query.limit, cursor: query.cursor }
    return { status: 200, body: await listOwnedTenants(context, session, page) }
  },
  async create_owned_tenant(context, { session, body }) {
    return { status: 201, body: await createOwnedTenant(context, session, body) }
  },
}
