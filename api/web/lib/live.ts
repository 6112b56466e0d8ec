import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
import { useEffect, useRef, useState } from 'react'
import type { StreamedLeaf } from '../../../shared/contract/action/stream.ts'
import type { EndpointName } from '../../../shared/contract/endpoints/endpoints.ts'
import { ProblemError, send } from './call.ts'
import { useRefresh } from './query.tsx'

/** `live`: the stream is open; `polling`: it cannot be had, and lists are read at intervals instead. */
export type Liveness = 'connecting' | 'live' | 'polling'

const retryMs = [250, 1_000, 2_000, 5_000, 15_000]
const pollMs = 5_000
const settleMs = 60
const betweenMs = 250

/** What is out of date when an event of the kind happened. */
const touchedByActions: readonly EndpointName[] = [
  'list_owned_approvals',
  'list_owned_actions',
  'read_owned_action',
]
const touchedByConfiguration: readonly EndpointName[] = [
  'list_owned_keys',
  'read_owned_policy',
  'list_owned_policy_revisions',
  'read_owned_catalog',
  'list_owned_catalog_revisions',
]

/**
 * Follow a tenant's log and have whatever it makes out of date read again. The stream continues where it broke off; where
 * it cannot be had, everything is read at intervals.
 */
export function useLive(tenantId: string | undefined): Liveness {
  const [liveness, setLiveness] = useState<Liveness>('connecting')
  const refresh = useRefresh()
  const read = useRef(refresh)
  read.current = refresh
  useEffect(() => {
    if (tenantId === undefined) return
    const ended = new AbortController()
    const touch = oneAtATime(names => read.current(names), ended.signal)
    void followTenant(tenantId, { touch, setLiveness, signal: ended.signal })
    return () => ended.abort()
  }, [tenantId])
  return liveness
}

/** Reads again what was touched, all of it together, and not before the reading under way has ended. */
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
  touch(names: readonly EndpointName[]): void
  setLiveness(liveness: Liveness): void
  signal: AbortSignal
}

const everything = [...touchedByActions, ...touchedByConfiguration]

/** Connects again and again until the page goes elsewhere, each time after the last event that was seen. */
async function followTenant(tenantId: string, following: Following): Promise<void> {
  const { touch, setLiveness, signal } = following
  const place = { last: null as string | null, failures: 0 }
  while (!signal.aborted) {
    try {
      for await (const event of eventsOf(tenantId, place.last, signal)) take(event, place, following)
    } catch (error) {
      if (signal.aborted) return
      place.failures += 1
      if (place.failures > 2 || error instanceof ProblemError) setLiveness('polling')
      touch(everything)
    }
    await pause(Math.max(betweenMs, waitMs(place.failures)), signal)
  }
}

function take(
  event: EventSourceMessage,
  place: { last: string | null; failures: number },
  { touch, setLiveness }: Following,
): void {
  if (event.event === 'ready') {
    place.failures = 0
    setLiveness('live')
    if (place.last === null) touch(everything)
  } else touch(event.event === 'reset' ? everything : touchedBy(event.data))
  place.last = event.id ?? place.last
}

async function* eventsOf(tenantId: string, last: string | null, signal: AbortSignal) {
  const response = await send('follow_owned_tenant', {
    params: { tenant_id: tenantId },
    signal,
    ...(last === null ? {} : { headers: { 'last-event-id': last } }),
  })
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

function touchedBy(data: string): readonly EndpointName[] {
  const leaf = JSON.parse(data) as StreamedLeaf
  return leaf.stream === 'config' ? touchedByConfiguration : touchedByActions
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
