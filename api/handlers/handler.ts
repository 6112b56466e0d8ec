import type {
  BodyOf,
  Endpoint,
  ParamsOf,
  QueryOf,
  ReplyOf,
} from '../../shared/contract/endpoints/endpoint.ts'
import type { KeyPrincipal } from '../../shared/contract/verdict.ts'
import type { Context } from '../../shared/flow/context.ts'

/** Headers that mean something to a handler, read once; waits in milliseconds, null where not given. */
export interface Preferences {
  wait_ms: number | null
  if_none_match: string | null
  if_match: string | null
}

type PrincipalOf<E extends Endpoint> = E['access'] extends 'none'
  ? undefined
  : E['access'] extends 'admin'
    ? KeyPrincipal
    : KeyPrincipal & { tenant_id: string }

/** A request after authentication and parsing; `now` is the database's clock at authentication. */
export interface HandlerRequest<E extends Endpoint> {
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  principal: PrincipalOf<E>
  now: string
  preferences: Preferences
  /** Whether the client has gone, and nobody waits for the answer. */
  gone: () => boolean
}

/** Translate a request, call a flow, translate the answer. */
export type Handler<E extends Endpoint> = (
  context: Context,
  request: HandlerRequest<E>,
) => Promise<ReplyOf<E>>

export type Handlers<Table extends Record<string, Endpoint>> = { [Name in keyof Table]: Handler<Table[Name]> }
