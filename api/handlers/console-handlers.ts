import type { consoleEndpoints } from '../../shared/contract/endpoints/console-endpoints.ts'
import { endOperatorsAtIssuer } from '../../shared/flow/account/end-at-issuer.ts'
import { signInMsMax } from '../../shared/flow/account/issuer-attempt.ts'
import { shownSession, signOutOperator } from '../../shared/flow/account/operator-sessions.ts'
import {
  beginOperatorSignIn,
  completeOperatorSignIn,
  operatorSignInWays,
} from '../../shared/flow/account/operator-sign-in.ts'
import {
  changeOperator,
  inviteOperator,
  listOperators,
  removeOperator,
} from '../../shared/flow/account/operators.ts'
import type { Handlers } from './handler.ts'

const over = { value: null, ms_max: 0 }

export const consoleHandlers: Handlers<typeof consoleEndpoints> = {
  async list_operators(context, { query }) {
    return { status: 200, body: await listOperators(context, { limit: query.limit, cursor: query.cursor }) }
  },
  async invite_operator(context, { body, principal }) {
    return { status: 201, body: await inviteOperator(context, body, principal) }
  },
  async change_operator(context, { params, body, principal }) {
    return {
      status: 200,
      body: { operator: await changeOperator(context, { ...params, ...body }, principal) },
    }
  },
  async remove_operator(context, { params, principal }) {
    return {
      status: 200,
      body: { operator: await removeOperator(context, params.operator_id, principal) },
    }
  },
  async read_operator_sign_in(context) {
    return { status: 200, body: operatorSignInWays(context) }
  },
  async begin_operator_sign_in(context, { body, visitor }) {
    const { authorization_url, sign_in_token: value } = await beginOperatorSignIn(context, body, visitor)
    const cookies = [{ name: 'service_operator_sign_in' as const, value, ms_max: signInMsMax }]
    return { status: 200, body: { authorization_url }, cookies }
  },
  async complete_operator_sign_in(context, { body, visitor }) {
    const { session, session_token: value } = await completeOperatorSignIn(context, body, visitor)
    const cookies = [
      { name: 'service_operator_session' as const, value, ms_max: context.config.session_ms_max },
      { name: 'service_operator_sign_in' as const, ...over },
    ]
    return { status: 200, body: session, cookies }
  },
  async end_operators_at_issuer(context, { params, body }) {
    await endOperatorsAtIssuer(context, params.issuer, body.logout_token)
    return { status: 200, body: { status: 'ended' } }
  },
  async read_operator_session(_context, { operator }) {
    return { status: 200, body: shownSession(operator) }
  },
  async sign_out_operator(context, { operator, body }) {
    const left = await signOutOperator(context, operator, body.everywhere)
    return { status: 200, body: left, cookies: [{ name: 'service_operator_session', ...over }] }
  },
}
