import type { ServerResponse } from 'node:http'
import type { Endpoint, LedgerLine, RealSystem } from '../check/evidence.ts'

/** A call as the downstream takes it, whatever protocol it came over. */
export interface DownstreamCall {
  key: string
  /** Null where the protocol does not carry it: an MCP server learns the key alone. */
  action_id: string | null
  tenant_id: string | null
  attempt: number | null
  /** ISO 8601; null where nobody says it. */
  not_after: string | null
  /** Method and path. */
  request: string
  /** What the action asked for, as it arrived. */
  parameters: unknown
  script: Script
  /** Before and after it is decided what happens, in milliseconds. */
  before_ms: number
  after_ms: number
}

/**
 * What becomes of a call: `refuse` and `busy` do nothing, and say so; `lost_before` does nothing and breaks off; `ok`, `cut`,
 * `half_body` and `error` do it, and then answer, or break off before or within the answer, or answer 500. `again` is done and
 * delivered once more, and the second delivery answers; `again_later` is answered and delivered once more afterwards, both
 * only where the endpoint honours the key.
 */
export const scripts = [
  'ok',
  'refuse',
  'busy',
  'lost_before',
  'cut',
  'half_body',
  'error',
  'again',
  'again_later',
] as const
export type Script = (typeof scripts)[number]

/** What the worker itself suffers from a call of a module actuator, before anything is sent. */
export const moduleScripts = [...scripts, 'throw', 'kill'] as const
export type ModuleScript = (typeof moduleScripts)[number]

/** How a downstream behaves, as systems differ. */
export interface Traits {
  /** A repeated key is one effect. */
  honours_key: boolean
  /** What would be done after its `not_after` is refused. */
  enforces_not_after: boolean
  /** A key that was refused stays refused. */
  remembers_refusals: boolean
}

const careful = { honours_key: true, enforces_not_after: true, remembers_refusals: true }

/** Those of our own making. */
export type OwnEndpoint = Exclude<Endpoint, RealSystem>

export const endpoints: Readonly<Record<OwnEndpoint, Traits>> = {
  keyed: careful,
  plain: { ...careful, honours_key: false },
  http_keyed: careful,
  http_plain: { ...careful, honours_key: false },
  http_loose: { honours_key: true, enforces_not_after: false, remembers_refusals: false },
  http_later: { honours_key: true, enforces_not_after: false, remembers_refusals: true },
  mcp_keyed: { honours_key: true, enforces_not_after: false, remembers_refusals: true },
}

const statuses = {
  done: 200,
  replayed: 200,
  refused: 422,
  busy: 503,
  late: 410,
  conflict: 409,
  none: 500,
  unanswered: 500,
} as const

/** Whether the script breaks the connection off after this answer, instead of giving it. */
export function breaksOff(answer: LedgerLine['answer'], script: string): boolean {
  return answer === 'none' || (isDone(answer) && script === 'cut')
}

/** Answer with what happened, in the way that the script wants. */
export function answerAs(answer: LedgerLine['answer'], script: string, response: ServerResponse): void {
  if (breaksOff(answer, script)) {
    response.socket?.destroy()
    return
  }
  const body = JSON.stringify({ answer })
  const status = isDone(answer) && script === 'error' ? 500 : statuses[answer]
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
  if (!isDone(answer) || script !== 'half_body') {
    response.end(body)
    return
  }
  response.write(body.slice(0, 4), () => response.socket?.destroy())
}

/** The effect is there, whichever delivery of the call made it. */
export function isThere(answer: LedgerLine['answer']): boolean {
  return isDone(answer) || answer === 'conflict'
}

export function isDone(answer: LedgerLine['answer']): boolean {
  return answer === 'done' || answer === 'replayed'
}
