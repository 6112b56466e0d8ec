import { actionGate, type Gate, type GatedOptions } from '../../shared/client/index.ts'
import type { Trace } from '../../shared/contract/action/action.ts'
import { startService } from '../support/service/service.ts'

/** A service with one tenant whose `crm` runs low risk at once and asks a person for more; `mail` is denied. */
export interface GatedBed {
  gate: Gate
  /** Held, and approved as soon as it is. */
  held: GatedOptions
  /** The newest action of the tenant. */
  newest(): Promise<Trace>
  close(): Promise<void>
}

export async function openGatedBed(): Promise<GatedBed> {
  const service = await startService()
  const tenant = await service.tenant()
  const gate = actionGate({ url: service.url, key: tenant.agent, agent: 'framework' })
  return {
    gate,
    held: {
      risk: 'high',
      onHeld: async ({ actionId }) => {
        await tenant.approve(actionId)
      },
    },
    async newest() {
      const { items } = await gate.actions({ limit: 1 })
      return tenant.trace(items[0]?.action_id ?? '')
    },
    close: () => service.close(),
  }
}

/** The work of a tool that is gated: it must never run. */
export function neverRuns(): string {
  throw new Error('the tool did its work itself, past the gate')
}

/** What the mock actuator answers for `crm.read`. */
export const done = { executed: 'read', target: 'crm', dry_run: true }
/** What a model reads of an operation that is denied. */
export const deniedText = /system_not_allowed: system "mail" is not allowed.*Stop and show the reasons/s
