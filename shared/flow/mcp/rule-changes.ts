import { rulesVersions } from '../../store/tenant/tenant-rows.ts'
import type { Context } from '../core/context.ts'

export interface RuleChanges {
  /** Calls back after each change of the rules since `version`, until the returned function is called. */
  subscribe(tenantId: string, version: number, changed: () => void): () => void
}

const lookMs = 1_000

/**
 * Notifies all listeners of a process from one query of their tenants' versions, once a second while there are
 * listeners.
 */
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
      // The oldest version counts for the group, so that the next query notifies a listener that is behind.
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
