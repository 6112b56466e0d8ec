import type { KeyPrincipal, OwnerPrincipal } from '../../shared/contract/action/verdict.ts'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import type {
  BodyOf,
  Endpoint,
  ParamsOf,
  QueryOf,
  ReplyOf,
} from '../../shared/contract/endpoints/endpoint.ts'
import type { OperatorPrincipal } from '../../shared/contract/operator-schema.ts'
import { memberRoles } from '../../shared/contract/role-schema.ts'
import { type BegunSession, deviceMsMax, type Visitor } from '../../shared/flow/account/begin-session.ts'
import { type CurrentOperator, confirmOperator } from '../../shared/flow/account/operator-sessions.ts'
import { type CurrentSession, confirmSession } from '../../shared/flow/account/sessions.ts'
import type { RequestSpan } from '../../shared/flow/action/decide-approval.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import type { SignedBody } from '../../shared/flow/slack/verified-request.ts'
import { confirmKey } from '../../shared/flow/tenant/authenticate-key.ts'

export type { SignedBody, Visitor }

/** The request headers that handlers use. Waits are in milliseconds; null if the header is absent. */
export interface Preferences {
  wait_ms: number | null
  /** Entity tags without the prefix `W/`; empty if the header is absent. `*` matches any. */
  if_none_match: readonly string[]
  if_match: string | null
  /** `Last-Event-ID` as the index of a leaf; -1 is before the first leaf. */
  last_event_id: number | null
}

/**
 * A cookie that an answer sets, or clears if its value is null. All cookies share their attributes
 * (specification.md#hosted-accounts).
 */
export interface Cookie {
  name:
    | 'service_session'
    | 'service_device'
    | 'service_sign_in'
    | 'service_operator_session'
    | 'service_operator_sign_in'
  value: string | null
  ms_max: number
}

type PrincipalOf<E extends Endpoint> = E['access'] extends 'none'
  ? undefined
  : E['access'] extends 'session'
    ? OwnerPrincipal
    : E['access'] extends 'member'
      ? OwnerPrincipal | (KeyPrincipal & { tenant_id: string })
      : E['access'] extends 'admin'
        ? KeyPrincipal | OperatorPrincipal
        : E['access'] extends 'operator'
          ? OperatorPrincipal
          : KeyPrincipal & { tenant_id: string }

/** A request after authentication and parsing. `now` is the database's clock at authentication. */
export interface HandlerInput<Params, Query, Body, Principal, Session, Console, Browser> {
  params: Params
  query: Query
  body: Body
  principal: Principal
  session: Session
  /** The console session, if the row needs one or an operator asks without an admin key. */
  operator: Console
  /** The organization of the session or of the key's tenant; null if it has none. */
  organization_id: string | null
  visitor: Browser
  now: string
  preferences: Preferences
  span: RequestSpan
}

export type HandlerRequest<E extends Endpoint, Principal = PrincipalOf<E>> = HandlerInput<
  ParamsOf<E>,
  QueryOf<E>,
  BodyOf<E>,
  Principal,
  E['access'] extends 'session' ? CurrentSession : CurrentSession | null,
  E['access'] extends 'operator' ? CurrentOperator : CurrentOperator | null,
  E extends { form: true }
    ? unknown
    : E extends { access: 'none'; method: 'POST' } & ({ hosted: true } | { console: true })
      ? Visitor
      : unknown
> &
  (E extends { signed: 'slack' } ? { signed: SignedBody } : unknown)

type Answered<E extends Endpoint> = Promise<ReplyOf<E> & { cookies?: readonly Cookie[] }>

export type Handler<E extends Endpoint> = (context: Context, request: HandlerRequest<E>) => Answered<E>

/** The handlers of a table. The rows in `Owned` accept owners as well as keys. */
export type Handlers<Table extends Record<string, Endpoint>, Owned extends keyof Table = never> = {
  [Name in keyof Table]: (
    context: Context,
    request: HandlerRequest<
      Table[Name],
      PrincipalOf<Table[Name]> | (Name extends Owned ? OwnerPrincipal : never)
    >,
  ) => Answered<Table[Name]>
}

export function revisionTag(revision: number): string {
  return `"${revision}"`
}

/** Returns the revision that `If-Match` names, or null if the header is absent or `*`. */
export function expectedRevision(ifMatch: string | null): number | null {
  if (ifMatch === null || ifMatch === '*') return null
  const [, revision] = /^"(\d{1,9})"$/.exec(ifMatch) ?? []
  if (!revision)
    throw new ServiceError('invalid_header', 'If-Match must be the ETag of one revision, such as "3"')
  return Number(revision)
}

/** Rejects if the reader's key or session has ended since the request began. */
export function confirmReader(
  context: Context,
  principal: (KeyPrincipal & { tenant_id: string }) | OwnerPrincipal,
  session: CurrentSession | null,
): Promise<void> {
  if ('key_id' in principal) return confirmKey(context, principal.key_id)
  if (!session) throw new ServiceError('session_required')
  return confirmSession(context, session, principal.tenant_id, memberRoles)
}

/** Rejects if the admin key or the operator's session has ended since the request began. */
export function confirmAdmin(
  context: Context,
  principal: KeyPrincipal | OperatorPrincipal,
  operator: CurrentOperator | null,
): Promise<void> {
  if ('key_id' in principal) return confirmKey(context, principal.key_id)
  if (!operator) throw new ServiceError('session_required')
  return confirmOperator(context, operator)
}

export function cookiesOf(
  { config }: Context,
  { session_token, device_token }: Omit<BegunSession, 'profile'>,
): readonly Cookie[] {
  return [
    { name: 'service_session', value: session_token, ms_max: config.session_ms_max },
    { name: 'service_device', value: device_token, ms_max: deviceMsMax },
  ]
}
