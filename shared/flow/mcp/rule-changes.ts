import { rulesVersions } from '../../store/tenant/tenant-rows.ts'
import type { Context } from '../core/context.ts'

/** Hearing that the rules of a tenant changed. */
export interface RuleChanges {
  /** Calls back after every change of the rules since `version`, until the answer is called. */
  subscribe(tenantId: string, version: number, changed: () => void): () => void
}

const lookMs = 1_000

/** All listeners of a process share one reading of the versions of their tenants, once a second while anybody listens. */
export function createRuleChanges(context: Pick<Context, 'store' | 'events'>): RuleChanges {
  const listeners = new Map<string, { version: number; changed: Set<() => void> }>()
  let timer: NodeJS.Timeout | null = null

  const look = async (): Promise<void> => {
    const tenantIds = [...listeners.keys()]
    try {
      const versions = await rulesVersions(context.store.readEach(tenantIds), tenantIds)
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
    if (!group || version === undefined || version === group.version) return
    group.version = version
    for (const changed of group.changed) changed()
  }

  const schedule = (): void => {
    if (timer || listeners.size === 0) return
    timer = setTimeout(() => void look(), lookMs)
    timer.unref()
  }

  return {
    subscribe(tenantId, version, changed) {
      const group = listeners.get(tenantId) ?? { version, changed: new Set() }
      // Who knows an older version than the others do is told with them: by the next reading.
      group.version = Math.min(group.version, version)
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
