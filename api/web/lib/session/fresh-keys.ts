import { useSyncExternalStore } from 'react'

/** A key whose secret this tab has just received. `stored` is true after the person confirms having saved it. */
export interface FreshKey {
  name: string
  secret: string
  stored: boolean
}

/** New keys by tenant. They exist only in this tab's memory, so that a reload forgets them. */
let held: ReadonlyMap<string, FreshKey> = new Map()
const listeners = new Set<() => void>()

export function useFreshKey(tenantId: string): FreshKey | null {
  return (
    useSyncExternalStore(
      listener => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      () => held.get(tenantId),
    ) ?? null
  )
}

export function holdFreshKey(tenantId: string, key: FreshKey): void {
  keep(new Map([...held, [tenantId, key]]))
}

export function markKeyStored(tenantId: string): void {
  const key = held.get(tenantId)
  if (key) holdFreshKey(tenantId, { ...key, stored: true })
}

export function forgetFreshKeys(): void {
  keep(new Map())
}

function keep(next: ReadonlyMap<string, FreshKey>): void {
  held = next
  for (const listener of listeners) listener()
}
