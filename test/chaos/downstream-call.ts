import type { ServerResponse } from 'node:http'
import type { LedgerLine } from './check/evidence.ts'

/** What the actuators send. */
export interface DownstreamCall {
  key: string
  action_id: string
  tenant_id: string
  attempt: number
  not_after: string
  script: Script
  /** Before and after it is decided what happens, in milliseconds. */
  before_ms: number
  after_ms: number
}

/**
 * What becomes of a call: `refuse` and `busy` do nothing, and say so; `lost_before` does nothing and breaks off; the others
 * do it, and then answer, or break off before or within the answer, or answer 500.
 */
export const scripts = ['ok', 'refuse', 'busy', 'lost_before', 'cut', 'half_body', 'error'] as const
export type Script = (typeof scripts)[number]

const statuses = { done: 200, replayed: 200, refused: 422, busy: 503, late: 410, none: 500 } as const

/** Answer with what happened, in the way that the script wants. */
export function answerAs(answer: LedgerLine['answer'], script: string, response: ServerResponse): void {
  const happened = answer === 'done' || answer === 'replayed'
  if (answer === 'none' || (happened && script === 'cut')) {
    response.socket?.destroy()
    return
  }
  const body = JSON.stringify({ answer })
  const status = happened && script === 'error' ? 500 : statuses[answer]
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
  if (!happened || script !== 'half_body') {
    response.end(body)
    return
  }
  response.write(body.slice(0, 4), () => response.socket?.destroy())
}
