import { z } from 'zod'
import type { ErrorCode } from '../base/errors.ts'
import { type MemberRole, memberRoles } from '../role-schema.ts'

/** The credential that an endpoint requires (specification.md#authentication). */
export type Access =
  | 'none'
  | 'agent'
  | 'approver'
  | 'agent_or_approver'
  | 'admin'
  | 'operator'
  | 'session'
  | 'member'

export type RequestHeader =
  | 'prefer'
  | 'if-none-match'
  | 'if-match'
  | 'last-event-id'
  | 'x-slack-request-timestamp'
  | 'x-slack-signature'
export type ResponseHeader = 'etag' | 'location' | 'retry-after' | 'set-cookie'

export interface Answer {
  description: string
  body: z.ZodType
  /** The media type if it is not application/json. A string body is then sent unchanged. */
  type?: string
  /** True for a public document that is built once and sent compressed. Caches must revalidate it. */
  document?: true
  /** True if the handler may return bytes of JSON, so that a large answer is serialized off the event loop. */
  written?: true
  headers?: readonly ResponseHeader[]
}

/** One row of the endpoint table. Routes, handler types and public documents are made from these rows. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  access: Access
  summary: string
  description?: string
  /** False for health probes, because an orchestrator would kill a healthy process that answers 429. */
  limited?: false
  /** True for rows that exist only if hosted accounts are enabled (specification.md#hosted-accounts). */
  hosted?: true
  /** True for rows with which operators sign in to the console (specification.md#operators). */
  console?: true
  /** True for rows that exist only if password accounts are enabled. */
  local?: true
  /**
   * The limit for a row that may prove, compare or replay policies: `counted` limits the concurrent requests of
   * each caller, `uncounted` allows one short proof for an example.
   */
  proves?: 'counted' | 'uncounted'
  /** Set if one request does the work of many, so that fewer requests are admitted per minute. */
  counted?: 'batches'
  /** Set if the body may hold a foreign document. Few such bodies are read at once, because they may be larger. */
  takes?: 'documents'
  /**
   * The roles that permit the request; a session or member needs one of them (specification.md#members). A row
   * without a tenant in its path has `owner`, the owner of the organization. A session has several roles, a key
   * one.
   */
  roles?: readonly MemberRole[]
  /** True if callers send a form (application/x-www-form-urlencoded). The form is read as if it were JSON. */
  form?: true
  /**
   * Set if Slack signs the body's bytes, which the handler then receives (specification.md#decisions-in-slack).
   */
  signed?: 'slack'
  headers?: readonly RequestHeader[]
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  answers: Readonly<Record<number, Answer>>
  errors: readonly ErrorCode[]
}

export function isList({ answers }: Endpoint): boolean {
  const body = answers[200]?.body
  return body instanceof z.ZodObject && 'next_cursor' in body.shape
}

/** Returns true if a row of an operator is closed to on-call keys, because these keys may only read. */
export function isForAdminsOnly({ access, method }: Endpoint): boolean {
  return access === 'admin' && method !== 'GET'
}

export function isForSome({ roles }: Endpoint): boolean {
  return roles !== undefined && roles.length < memberRoles.length
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/**
 * The type of a row's parameters. It is unknown for a row without parameters, so that such a handler fits any row.
 */
export type ParamsOf<E extends Endpoint> = E['params'] extends z.ZodType ? z.output<E['params']> : unknown
export type QueryOf<E extends Endpoint> = Parsed<E['query']>
export type BodyOf<E extends Endpoint> = Parsed<E['body']>

/**
 * The type of a body as sent. An event stream sends one text after another; any other text may be sent as bytes.
 */
type BodySent<Sent, Body> = Sent extends { type: 'text/event-stream' }
  ? AsyncIterable<string>
  :
      | Body
      | (Body extends string
          ? Uint8Array
          : Sent extends { document: true } | { written: true }
            ? Uint8Array
            : never)

/** A reply that the row allows. Each status has its own type of body. */
export type ReplyOf<E extends Endpoint> = {
  [Status in keyof E['answers']]: E['answers'][Status] extends { body: infer Body extends z.ZodType }
    ? {
        status: Status
        body: BodySent<E['answers'][Status], z.output<Body>>
        headers?: Readonly<Partial<Record<ResponseHeader, string>>>
      }
    : never
}[keyof E['answers']]

export const audiences = ['agent', 'approver', 'owner', 'operator'] as const
export const audienceSchema = z
  .enum(audiences)
  .describe('Cuts the document to the requests that this audience may make.')
export type Audience = z.infer<typeof audienceSchema>

/**
 * Returns true if an audience may call a row. Everybody may call rows without a credential, except those of hosted
 * accounts and of the console.
 */
export function isFor(audience: Audience, { access, hosted, console }: Endpoint): boolean {
  if (access === 'none') return hosted ? audience === 'owner' : !console || audience === 'operator'
  return accessOf[audience].includes(access)
}

const accessOf: Readonly<Record<Audience, readonly Endpoint['access'][]>> = {
  agent: ['agent', 'agent_or_approver'],
  approver: ['approver', 'agent_or_approver'],
  owner: ['session', 'member'],
  operator: ['admin', 'operator'],
}
