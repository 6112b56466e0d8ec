import { z } from 'zod'
import type { ErrorCode } from '../base/errors.ts'
import { type MemberRole, memberRoles } from '../role-schema.ts'

/** The credential that an endpoint needs (specification.md#authentication). */
export type Access =
  | 'none'
  | 'agent'
  | 'approver'
  | 'agent_or_approver'
  | 'admin'
  | 'operator'
  | 'session'
  | 'member'

/** Headers beside the credential that mean something to an endpoint. */
export type RequestHeader =
  | 'prefer'
  | 'if-none-match'
  | 'if-match'
  | 'last-event-id'
  | 'x-slack-request-timestamp'
  | 'x-slack-signature'
export type ResponseHeader = 'etag' | 'location' | 'retry-after' | 'set-cookie'

/** A status that an endpoint answers with, and the shape of its body. */
export interface Answer {
  description: string
  body: z.ZodType
  /** Media type where it is not application/json; a body that is a string is then sent as it is. */
  type?: string
  /** True for a public document that is made once: it is sent compressed, and may be kept by who asks whether it changed. */
  document?: true
  /** True where the handler may answer with the bytes of its JSON: a large one is written beside the event loop. */
  written?: true
  headers?: readonly ResponseHeader[]
}

/** One row of the endpoint table: routes, handler types and documents come from it. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Template with `{name}` for parameters. */
  path: string
  access: Access
  summary: string
  description?: string
  /** False for probes: an orchestrator that is told 429 would end a healthy process. */
  limited?: false
  /** True for rows that exist only where hosted accounts are enabled (specification.md#hosted-accounts). */
  hosted?: true
  /** True for rows by which operators sign in to the console (specification.md#operators). */
  console?: true
  /** True for rows that exist only where accounts of address and password are enabled. */
  local?: true
  /**
   * Where it may prove, compare or replay, in turns with others. Counted: so many at once of each who asks. Uncounted: one
   * short proof for an example.
   */
  proves?: 'counted' | 'uncounted'
  /** Where one request does the work of many: fewer of them are admitted in a minute. */
  counted?: 'batches'
  /** Where the body may hold a document of others: it may be larger, and few are read at once. */
  takes?: 'documents'
  /**
   * On rows of a session or a member: the roles that may, one of which it takes (specification.md#members). Of a member, a
   * session has roles and a key carries one. Without a tenant in the path it is `owner`, and means the organization.
   */
  roles?: readonly MemberRole[]
  /** Where programs of others send their body as a form (application/x-www-form-urlencoded), which is taken like JSON. */
  form?: true
  /** Where Slack signs the bytes of the body (specification.md#decisions-in-slack): the handler has them. */
  signed?: 'slack'
  headers?: readonly RequestHeader[]
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  answers: Readonly<Record<number, Answer>>
  errors: readonly ErrorCode[]
}

/** Whether an endpoint answers pages, which may be large. */
export function isList({ answers }: Endpoint): boolean {
  const body = answers[200]?.body
  return body instanceof z.ZodObject && 'next_cursor' in body.shape
}

/** Whether a row changes or proves something for whoever runs the service: not for an on-call key, which reads. */
export function isForAdminsOnly({ access, method }: Endpoint): boolean {
  return access === 'admin' && method !== 'GET'
}

/** Whether a row is for some members only. */
export function isForSome({ roles }: Endpoint): boolean {
  return roles !== undefined && roles.length < memberRoles.length
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** A handler that takes no parameters serves rows that have some, too. */
export type ParamsOf<E extends Endpoint> = E['params'] extends z.ZodType ? z.output<E['params']> : unknown
export type QueryOf<E extends Endpoint> = Parsed<E['query']>
export type BodyOf<E extends Endpoint> = Parsed<E['body']>

/** A stream of server-sent events is sent text by text; any other text may come as its bytes. */
type BodySent<Sent, Body> = Sent extends { type: 'text/event-stream' }
  ? AsyncIterable<string>
  :
      | Body
      | (Body extends string
          ? Uint8Array
          : Sent extends { document: true } | { written: true }
            ? Uint8Array
            : never)

/** An answer that the endpoint's row allows: status and body belong together. */
export type ReplyOf<E extends Endpoint> = {
  [Status in keyof E['answers']]: E['answers'][Status] extends { body: infer Body extends z.ZodType }
    ? {
        status: Status
        body: BodySent<E['answers'][Status], z.output<Body>>
        headers?: Readonly<Partial<Record<ResponseHeader, string>>>
      }
    : never
}[keyof E['answers']]

/** The readers for whom the OpenAPI document can be cut. */
export const audiences = ['agent', 'approver', 'owner', 'operator'] as const
export const audienceSchema = z
  .enum(audiences)
  .describe('Cuts the document to the requests that this audience may make.')
export type Audience = z.infer<typeof audienceSchema>

/** Whether an audience may make the requests of a row. Rows that need no credential are for all, but those of an owner's account and of the console. */
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
