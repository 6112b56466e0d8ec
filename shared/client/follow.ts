import { GateError } from './failures.ts'
import { elapsedMs, restUntil } from './platform.ts'
import { type Answered, type Connection, type Subject, send } from './send.ts'
import { type Executed, endOf, type Held, heldOf, type Standing, standingOfTrace } from './standing.ts'
import type { Comment, Trace } from './wire.ts'

export interface Waiting {
  /** Ends the wait and never the action. */
  signal?: AbortSignal | undefined
  /** Called once, where the action waits for a person; the next poll waits for what it returns. */
  onHeld?: ((held: Held) => void | Promise<void>) | undefined
  /** Called for each comment and each request for changes, in order; the next poll waits for what it returns. */
  onComment?: ((comment: Comment) => void | Promise<void>) | undefined
}

/** For how long the service is asked to hold a poll; it allows no more. */
const pollSeconds = 30
const restMsMin = 1_000
const quickMax = 3

/** Waits for the end of an action, and answers its result or throws what it came to. */
export async function follow(
  connection: Connection,
  begin: Standing,
  { signal, onHeld, onComment }: Waiting,
): Promise<Executed> {
  const { actionId, proposalId } = begin
  const isHeld = begin.status === 'pending_approval'
  const poll = poller(connection, { actionId, proposalId, isHeld }, signal)
  let told = false
  let commented = 0
  for (let standing = begin; ; standing = (await poll()) ?? standing) {
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

/** The trace as it is now. */
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
 * Each call is one long poll: what changed, or null where nothing did. A poll that brought nothing new rests. Of what is held
 * the first poll asks for the tag alone: without one the service waits for the end, and what is said meanwhile comes late.
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
