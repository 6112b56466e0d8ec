import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
import { useEffect, useRef, useState } from 'react'
import type { StreamedLeaf } from '../../../shared/contract/action/audit-log.ts'
import type { EndpointName } from '../../../shared/contract/endpoints/endpoints.ts'
import { ProblemError, send } from './call.ts'
import { useRefresh } from './query.tsx'

/** The state of the event stream. `polling`: no stream can be opened, so that lists are read about every 5 s. */
export type Liveness = 'connecting' | 'live' | 'polling'

const retryMs = [250, 1_000, 2_000, 5_000, 15_000]
const pollMs = 5_000
const settleMs = 60
const betweenMs = 250

/** The endpoints to read again after an event: `configuration` for the stream `config`, `actions` for others. */
export interface Followed {
  tenantId: string | null
  actions: readonly EndpointName[]
  configuration: readonly EndpointName[]
}

const ofActions = [
  'list_owned_approvals',
  'owned_inbox',
  'owned_inbox_groups',
  'list_owned_actions',
  'read_owned_action',
] as const
const ofConfiguration = [
  'list_owned_keys',
  'read_owned_policy',
  'list_owned_policy_revisions',
  'read_owned_catalog',
  'list_owned_catalog_revisions',
] as const

export function ownTenant(tenantId: string): Followed {
  return { tenantId, actions: ofActions, configuration: ofConfiguration }
}

export const keysTenant: Followed = {
  tenantId: null,
  actions: ['inbox', 'inbox_groups', 'read_action'],
  configuration: [],
}

/**
 * Follows a tenant's event log and reads the affected endpoints again after each event. The stream resumes after
 * the last event seen. While no stream can be opened, all endpoints are read about every 5 s.
 */
export function useLive(followed: Followed | undefined): Liveness {
  const [liveness, setLiveness] = useState<Liveness>('connecting')
  const refresh = useRefresh()
  const read = useRef(refresh)
  read.current = refresh
  const now = useRef(followed)
  now.current = followed
  const tenantId = followed?.tenantId
  useEffect(() => {
    const following = now.current
    if (tenantId === undefined || !following) return
    const ended = new AbortController()
    const touch = oneAtATime(names => read.current(names), ended.signal)
    void followTenant({ followed: following, touch, setLiveness, signal: ended.signal })
    return () => ended.abort()
  }, [tenantId])
  return liveness
}

/**
 * Collects endpoint names and reads those endpoints together. The next read waits for the current one, because two
 * reads would overlap.
 */
function oneAtATime(
  read: (names: readonly EndpointName[]) => Promise<void>,
  signal: AbortSignal,
): (names: readonly EndpointName[]) => void {
  const pending = new Set<EndpointName>()
  let reading = false
  const run = async (): Promise<void> => {
    reading = true
    while (pending.size > 0 && !signal.aborted) {
      await pause(settleMs, signal)
      const names = [...pending]
      pending.clear()
      await read(names)
    }
    reading = false
  }
  return names => {
    for (const name of names) pending.add(name)
    if (!reading) void run()
  }
}

interface Following {
  followed: Followed
  touch(names: readonly EndpointName[]): void
  setLiveness(liveness: Liveness): void
  signal: AbortSignal
}

/** Reads the event stream until the page is left. Each new connection resumes after the last event seen. */
async function followTenant(following: Following): Promise<void> {
  const { followed, touch, setLiveness, signal } = following
  const place = { last: null as string | null, failures: 0 }
  while (!signal.aborted) {
    try {
      for await (const event of eventsOf(followed, place.last, signal)) take(event, place, following)
    } catch (error) {
      if (signal.aborted) return
      place.failures += 1
      if (place.failures > 2 || error instanceof ProblemError) setLiveness('polling')
      touch([...followed.actions, ...followed.configuration])
    }
    await pause(Math.max(betweenMs, waitMs(place.failures)), signal)
  }
}

function take(
  event: EventSourceMessage,
  place: { last: string | null; failures: number },
  { followed, touch, setLiveness }: Following,
): void {
  const everything = [...followed.actions, ...followed.configuration]
  if (event.event === 'ready') {
    place.failures = 0
    setLiveness('live')
    if (place.last === null) touch(everything)
  } else touch(event.event === 'reset' ? everything : touchedBy(followed, event.data))
  place.last = event.id ?? place.last
}

async function* eventsOf({ tenantId }: Followed, last: string | null, signal: AbortSignal) {
  const asked = { signal, ...(last === null ? {} : { headers: { 'last-event-id': last } }) }
  const response =
    tenantId === null
      ? await send('follow_tenant', asked)
      : await send('follow_owned_tenant', { params: { tenant_id: tenantId }, ...asked })
  if (!response.body) return
  const reader = response.body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function touchedBy({ actions, configuration }: Followed, data: string): readonly EndpointName[] {
  const leaf = JSON.parse(data) as StreamedLeaf
  return leaf.stream === 'config' ? configuration : actions
}

function waitMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(pollMs, retryMs[failures - 1] ?? pollMs)
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = window.setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      window.clearTimeout(timer)
      resolve()
    })
  })
}
