import { useSyncExternalStore } from 'react'

/** A key whose secret this tab was just given: `stored` once its owner says so. */
export interface FreshKey {
  name: string
  secret: string
  stored: boolean
}

/** By tenant, in the memory of the tab and nowhere else: a reload forgets them. */
let held: ReadonlyMap<string, FreshKey> = new Map()
const listeners = new Set<() => void>()

/** The agent key that was made for the tenant in this tab, until it is reloaded; null where there is none. */
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

/** The owner says that the key is kept elsewhere. */
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
