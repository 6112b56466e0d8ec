import type { AuditEvent } from '../../contract/action/audit.ts'
import type { StreamedLeaf } from '../../contract/action/audit-log.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import type { OpenStream } from '../../runtime/process/open-streams.ts'
import type { Holder } from '../../runtime/room.ts'
import {
  type LogPlace,
  type LogTailEntry,
  readLogSize,
  readTail,
  tailPageMax,
} from '../../store/log/log-tail.ts'
import type { Context } from '../core/context.ts'

export interface Following {
  tenant_id: string
  /** The index of the follower's last leaf; null begins at the end of the log. */
  after: number | null
  /** The key or account that follows, and the tenant and organization, whose open streams are limited. */
  holders: readonly Holder[]
  /** Rejects if the follower may not go on. */
  confirm(): Promise<void>
}

/** A follower that is more than 1,000 leaves behind must read everything again. */
const behindMax = 1_000

/**
 * Streams the leaves of a tenant's log as server-sent events. The stream ends when the follower loses access,
 * after some minutes, or with the service. A slow follower needs no buffer, because each read continues from its
 * own position in the log.
 */
export async function followLog(context: Context, following: Following): Promise<AsyncIterable<string>> {
  const opened = context.streams.open(following.holders)
  if (!opened.ok) {
    const { name, most } = opened.error
    throw new ServiceError('too_many_streams', `${name} has ${most} open, as many as it may; close one`)
  }
  const stream = opened.value
  try {
    const { tenant_id, after } = following
    const size = await context.store.read([tenant_id], reader => readLogSize(reader, tenant_id))
    return untilEnded(textsFrom(context, following, beginning(size, after), stream), stream)
  } catch (error) {
    stream.end()
    throw error
  }
}

interface Beginning {
  next: number
  text: string
}

/**
 * Returns the index of the first leaf to send and the text before it; the event `reset` tells that leaves were
 * left out.
 */
function beginning(size: number, after: number | null): Beginning {
  const retry = 'retry: 1000\n'
  const next = after === null ? size : after + 1
  if (next <= size && size - next <= behindMax) {
    return { next, text: `${retry}${eventText('ready', { size }, next - 1)}` }
  }
  return {
    next: size,
    text: `${retry}${eventText('ready', { size })}${eventText('reset', { size }, size - 1)}`,
  }
}

function untilEnded(texts: AsyncGenerator<string>, stream: OpenStream): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const text = await texts.next().catch(error => {
          stream.end()
          throw error
        })
        if (text.done) stream.end()
        return text
      },
      async return() {
        stream.end()
        return texts.return(undefined)
      },
    }),
  }
}

async function* textsFrom(
  context: Context,
  following: Following,
  { next: first, text }: Beginning,
  stream: OpenStream,
): AsyncGenerator<string> {
  const { stream_ms_max, stream_check_ms } = context.config
  const endAt = monotonicMs() + stream_ms_max
  let checkAt = monotonicMs() + stream_check_ms
  let place: LogPlace = { tenant_id: following.tenant_id, from: first }
  let isBehind = true
  yield text
  while (!stream.ended.aborted && monotonicMs() < endAt) {
    if (monotonicMs() >= checkAt) {
      if (!(await mayGoOn(following))) return
      checkAt = monotonicMs() + stream_check_ms
      yield ': still here\n\n'
    }
    const entries: readonly LogTailEntry[] = isBehind
      ? await readPage(context, place)
      : await context.tail.after(place, Math.min(checkAt, endAt) - monotonicMs(), stream.ended)
    if (entries.length > 0) yield entries.map(leafText).join('')
    place = { ...place, from: place.from + entries.length }
    isBehind = entries.length === tailPageMax
  }
}

function readPage(context: Context, place: LogPlace): Promise<readonly LogTailEntry[]> {
  return context.store.read([place.tenant_id], reader => readTail(reader, [place]))
}

async function mayGoOn({ confirm }: Following): Promise<boolean> {
  try {
    await confirm()
    return true
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}

function leafText(entry: LogTailEntry): string {
  return eventText('leaf', streamedLeaf(entry), entry.index)
}

function streamedLeaf({
  tenant_id,
  index,
  stream,
  event,
  status_from,
  status_to,
}: LogTailEntry): StreamedLeaf {
  if (event === null) throw new Error(`the log of ${tenant_id} has no event for its entry ${index}`)
  const { kind, at, principal } = JSON.parse(event) as AuditEvent
  return {
    index,
    stream: stream === 'config' ? 'config' : 'action',
    action_id: stream === 'config' ? null : stream.slice('action/'.length),
    kind,
    status: status_to === status_from ? null : status_to,
    at,
    principal,
  }
}

/** Formats an event; its JSON contains no line breaks. */
function eventText(name: string, data: object, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

export function streamHolders(own: string, tenantId: string, organizationId: string | null): Holder[] {
  const { streams_per_holder_max, streams_per_tenant_max, streams_per_organization_max } = limits
  return [
    { name: own, most: streams_per_holder_max },
    { name: `tenant ${tenantId}`, most: streams_per_tenant_max },
    ...(organizationId === null
      ? []
      : [{ name: `organization ${organizationId}`, most: streams_per_organization_max }]),
  ]
}
