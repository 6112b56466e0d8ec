import { GateError } from './failures.ts'
import { elapsedMs, restUntil } from './platform.ts'
import { type Answered, type Connection, type Subject, send } from './send.ts'
import { type Executed, endOf, type Held, heldOf, type Standing, standingOfTrace } from './standing.ts'
import type { Comment, Trace } from './wire.ts'

export interface Waiting {
  /** A signal that ends the wait. It does not end the action. */
  signal?: AbortSignal | undefined
  /** Called once if the action waits for a person. The client awaits the returned promise before the next poll. */
  onHeld?: ((held: Held) => void | Promise<void>) | undefined
  /**
   * Called for each comment and change request, in order. The client awaits the returned promise before the next
   * poll.
   */
  onComment?: ((comment: Comment) => void | Promise<void>) | undefined
}

const pollSeconds = 30
const restMsMin = 1_000
const quickMax = 3

/** Waits until the action has ended. Returns its result or throws its failure. */
export async function follow(connection: Connection, begin: Standing, waiting: Waiting): Promise<Executed> {
  const { signal, onHeld, onComment } = waiting
  const { actionId, proposalId } = begin
  const isHeld = begin.status === 'pending_approval'
  const poll = poller(connection, { actionId, proposalId, isHeld }, signal)
  let told = false
  let commented = 0
  for (let standing = begin; ; standing = (await poll()) ?? standing) {
    const next = standing.outcome?.superseded_by
    if (next !== undefined) return followNext(connection, next, waiting)
    const end = endOf(standing)
    if (end instanceof GateError) throw end
    if (end) return end
    if (!told && standing.status === 'pending_approval') {
      told = true
      await onHeld?.(heldOf(standing))
    }
    for (const comment of standing.comments.slice(commented)) await onComment?.(comment)
    commented = standing.comments.length
  }
}

async function followNext(connection: Connection, actionId: string, waiting: Waiting): Promise<Executed> {
  const trace = await readTrace(connection, actionId, waiting.signal)
  return follow(connection, standingOfTrace(trace), waiting)
}

export async function readTrace(
  connection: Connection,
  actionId: string,
  signal?: AbortSignal,
): Promise<Trace> {
  const about = { actionId, proposalId: null }
  const answer = await send(connection, pollOf(actionId, null, 0), { about, signal })
  return answer.body as unknown as Trace
}

/**
 * Creates a poller, which returns the changed state, or null if nothing changed. After a poll without a change,
 * the next poll is delayed. The first poll of a held action returns at once: without an etag the service would
 * hold the poll until the action ends, and comments would arrive late.
 */
function poller(
  connection: Connection,
  { isHeld, ...about }: Subject & { actionId: string; isHeld: boolean },
  signal?: AbortSignal,
) {
  let etag: string | null = null
  let quick = 0
  return async (): Promise<Standing | null> => {
    const begunMs = elapsedMs()
    const sending = pollOf(about.actionId, etag, isHeld && etag === null ? 0 : pollSeconds)
    const answer: Answered = await send(connection, sending, { about, signal })
    const news = answer.status !== 304 && (etag === null || answer.etag !== etag)
    etag = answer.etag ?? etag
    const restMs = Math.max(restMsMin, answer.retryAfterMs)
    quick = elapsedMs() - begunMs < restMs ? quick + 1 : 0
    const standing = answer.status === 304 ? null : standingOfTrace(answer.body as unknown as Trace)
    const ended = standing !== null && endOf(standing) !== null
    if (!ended && (!news || quick > quickMax)) await restUntil(begunMs, restMs, signal)
    return standing
  }
}

function pollOf(actionId: string, etag: string | null, waitSeconds: number) {
  const wait = waitSeconds > 0 ? `?wait=${waitSeconds}` : ''
  return {
    method: 'GET',
    path: `/v1/actions/${encodeURIComponent(actionId)}${wait}`,
    headers: etag === null ? {} : { 'if-none-match': etag },
    expects: 'events',
    heldMs: waitSeconds * 1000,
  } as const
}
