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

/** Headers that mean something to a handler, read once; waits in milliseconds, null where not given. */
export interface Preferences {
  wait_ms: number | null
  /** Entity tags without W/; `*` is any, none where not given. */
  if_none_match: readonly string[]
  if_match: string | null
  /** `Last-Event-ID` as the index of a leaf; -1 stands before the first. */
  last_event_id: number | null
}

/** A cookie that an answer sets; without a value it is cleared. Its attributes are the same for all (specification.md#hosted-accounts). */
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

/** A request after authentication and parsing; `now` is the database's clock at authentication. */
export interface HandlerInput<Params, Query, Body, Principal, Session, Console, Browser> {
  params: Params
  query: Query
  body: Body
  /** On rows of a session or a member: who it is in the tenant that the path names. */
  principal: Principal
  /** The session, on rows that need one. */
  session: Session
  /** The session of the console, on rows that need one, or where an operator asks instead of an admin key. */
  operator: Console
  /** The organization of the session, or whose the tenant of the key is; null where there is none. */
  organization_id: string | null
  /** The browser that asks, on rows that begin a session. */
  visitor: Browser
  now: string
  preferences: Preferences
  /** The request in the caller's trace. */
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

/** Translate a request, call a flow, translate the answer. */
export type Handler<E extends Endpoint> = (context: Context, request: HandlerRequest<E>) => Answered<E>

/** Handlers of a table; those of the rows in `Owned` serve owners too. */
export type Handlers<Table extends Record<string, Endpoint>, Owned extends keyof Table = never> = {
  [Name in keyof Table]: (
    context: Context,
    request: HandlerRequest<
      Table[Name],
      PrincipalOf<Table[Name]> | (Name extends Owned ? OwnerPrincipal : never)
    >,
  ) => Answered<Table[Name]>
}

/** ETag of a revision. */
export function revisionTag(revision: number): string {
  return `"${revision}"`
}

/** The revision that `If-Match` names; null without the header or with `*`. */
export function expectedRevision(ifMatch: string | null): number | null {
  if (ifMatch === null || ifMatch === '*') return null
  const [, revision] = /^"(\d{1,9})"$/.exec(ifMatch) ?? []
  if (!revision)
    throw new ServiceError('invalid_header', 'If-Match must be the ETag of one revision, such as "3"')
  return Number(revision)
}

/** Rejects where the key or the session of who reads has ended since. */
export function confirmReader(
  context: Context,
  principal: (KeyPrincipal & { tenant_id: string }) | OwnerPrincipal,
  session: CurrentSession | null,
): Promise<void> {
  if ('key_id' in principal) return confirmKey(context, principal.key_id)
  if (!session) throw new ServiceError('session_required')
  return confirmSession(context, session, principal.tenant_id, memberRoles)
}

/** The same where whoever runs the service reads. */
export function confirmAdmin(
  context: Context,
  principal: KeyPrincipal | OperatorPrincipal,
  operator: CurrentOperator | null,
): Promise<void> {
  if ('key_id' in principal) return confirmKey(context, principal.key_id)
  if (!operator) throw new ServiceError('session_required')
  return confirmOperator(context, operator)
}

/** The cookies of a session that began. */
export function cookiesOf(
  { config }: Context,
  { session_token, device_token }: Omit<BegunSession, 'profile'>,
): readonly Cookie[] {
  return [
    { name: 'service_session', value: session_token, ms_max: config.session_ms_max },
    { name: 'service_device', value: device_token, ms_max: deviceMsMax },
  ]
}
