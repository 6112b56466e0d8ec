import { governingVersions } from '../../store/tenant/tenants.ts'
import type { Context } from '../core/context.ts'

/** Hearing that the rules of a tenant changed. */
export interface RuleChanges {
  /** Calls back after every change from now on; the answer ends that. */
  subscribe(tenantId: string, changed: () => void): () => void
}

const lookMs = 1_000

/** All listeners of a process share one reading of the versions of their tenants, once a second while anybody listens. */
export function createRuleChanges(context: Pick<Context, 'store' | 'events'>): RuleChanges {
  const listeners = new Map<string, { version: number | undefined; changed: Set<() => void> }>()
  let timer: NodeJS.Timeout | null = null

  const look = async (): Promise<void> => {
    const tenantIds = [...listeners.keys()]
    try {
      const versions = await governingVersions(context.store.readEach(tenantIds), tenantIds)
      for (const tenantId of tenantIds) announce(tenantId, versions.get(tenantId))
    } catch (error) {
      context.events.failed('watch', error)
    } finally {
      timer = null
      schedule()
    }
  }

  const announce = (tenantId: string, version: number | undefined): void => {
    const group = listeners.get(tenantId)
    if (!group) return
    const before = group.version
    group.version = version
    if (before !== undefined && before !== version) for (const changed of group.changed) changed()
  }

  const schedule = (): void => {
    if (timer || listeners.size === 0) return
    timer = setTimeout(() => void look(), lookMs)
    timer.unref()
  }

  return {
    subscribe(tenantId, changed) {
      const group = listeners.get(tenantId) ?? { version: undefined, changed: new Set() }
      listeners.set(tenantId, group)
      group.changed.add(changed)
      schedule()
      return () => {
        group.changed.delete(changed)
        if (group.changed.size === 0 && listeners.get(tenantId) === group) listeners.delete(tenantId)
      }
    },
  }
}
