import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { LedgerLine } from '../check/evidence.ts'
import { hangingTenant } from '../settings.ts'
import { type DownstreamCall, isThere } from './downstream-call.ts'

/**
 * Operations that the downstream accepts with 202 and ends later. How it tells goes by the key: it calls back once, or several
 * times at once and once more much later, or not at all, so that only who asks is told. About those of one tenant
 * nothing is told at all: who asks is not answered.
 */
export interface Operations {
  /** Begins it; what has the key of one that began is the same one, and is told at the address of the latest call. */
  accept(call: DownstreamCall, notify: string | null, perform: () => Promise<LedgerLine['answer']>): void
  /** Null where the question is not to be answered. */
  stateOf(pathname: string): State | 'unknown' | null
  asked(): Questions
}

/** Questions that were never answered, and those about operations of other tenants that were answered while some hung. */
export interface Questions {
  hanging_poll: number
  poll_beside_hanging: number
}

/** So long after one came that is not answered others still count as asked beside it: who asks waits about so long. */
const hangsMs = 1_500

type State = 'running' | 'done' | 'failed'

interface Operation {
  state: State
  notify: string | null
  tenant_id: string | null
}

/** These are answered as everywhere, and accept nothing. */
const refusing: ReadonlySet<string> = new Set(['busy', 'lost_before'])

export const isAccepted = (script: string): boolean => !refusing.has(script)

/** `changed`: so many operations more are under way. */
export function createOperations(changed: (more: 1 | -1) => void): Operations {
  const operations = new Map<string, Operation>()
  const questions: Questions = { hanging_poll: 0, poll_beside_hanging: 0 }
  let hungAt = Number.NEGATIVE_INFINITY
  const end = async (
    operation: Operation,
    call: DownstreamCall,
    perform: () => Promise<LedgerLine['answer']>,
  ): Promise<void> => {
    await delay(call.before_ms * 4)
    operation.state = isThere(await perform()) ? 'done' : 'failed'
    for (const waits of callbacksOf(call)) await tell(operation, waits)
  }
  return {
    accept(call, notify, perform) {
      const known = operations.get(call.key)
      if (known) {
        known.notify = notify
        return
      }
      const operation: Operation = { state: 'running', notify, tenant_id: call.tenant_id }
      operations.set(call.key, operation)
      changed(1)
      void end(operation, call, perform).finally(() => changed(-1))
    },
    stateOf(pathname) {
      const operation = operations.get(decodeURIComponent(pathname.slice('/later/'.length)))
      if (operation?.tenant_id === hangingTenant) {
        questions.hanging_poll += 1
        hungAt = performance.now()
        return null
      }
      if (performance.now() - hungAt < hangsMs) questions.poll_beside_hanging += 1
      return operation?.state ?? 'unknown'
    },
    asked: () => questions,
  }
}

/** Milliseconds before each callback. */
function callbacksOf({ key, tenant_id }: DownstreamCall): readonly number[] {
  if (tenant_id === hangingTenant) return []
  const kinds = [[0], [0, 0, 0, 1_500], []]
  return kinds[key.charCodeAt(0) % kinds.length] ?? []
}

/** Nobody repeats what does not arrive. */
async function tell({ notify, state }: Operation, waits: number): Promise<void> {
  await delay(waits)
  if (notify === null) return
  const body = JSON.stringify({ state })
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(2_000)
  await fetch(notify, { method: 'POST', headers, body, signal }).then(
    answer => answer.arrayBuffer(),
    () => undefined,
  )
}

/** 202 with the address, or a connection that breaks off where the script says so. */
export function answerAccepted({ key, script }: DownstreamCall, response: ServerResponse): void {
  if (script === 'cut' || script === 'half_body') {
    response.socket?.destroy()
    return
  }
  response.writeHead(202, { location: `/later/${encodeURIComponent(key)}`, 'content-length': 0 }).end()
}
