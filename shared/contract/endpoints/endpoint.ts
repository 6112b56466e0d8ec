import type { z } from 'zod'
import type { ErrorCode } from '../errors.ts'

/** Who may call: the specification's Auth column (section 4). */
export type Access = 'none' | 'agent' | 'approver' | 'agent_or_approver' | 'admin'

/** A status that an endpoint answers with, and the shape of its body. */
export interface Answer {
  description: string
  body: z.ZodType
}

/** One row of the endpoint table: routes, handler types and documents come from it. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT'
  /** Template with `{name}` for parameters. */
  path: string
  access: Access
  summary: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  answers: Readonly<Record<number, Answer>>
  errors: readonly ErrorCode[]
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

export type ParamsOf<E extends Endpoint> = Parsed<E['params']>
export type QueryOf<E extends Endpoint> = Parsed<E['query']>
export type BodyOf<E extends Endpoint> = Parsed<E['body']>

/** An answer that the endpoint's row allows: status and body belong together. */
export type ReplyOf<E extends Endpoint> = {
  [Status in keyof E['answers']]: E['answers'][Status] extends { body: infer Body extends z.ZodType }
    ? { status: Status; body: z.output<Body>; headers?: Readonly<Record<string, string>> }
    : never
}[keyof E['answers']]
