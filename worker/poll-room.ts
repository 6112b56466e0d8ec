import type { DueOperation, PollsUnderWay } from '../shared/flow/execution/poll-dispatched.ts'
import { monotonicMs } from '../shared/runtime/clock.ts'

/** Limits of polls that run at once: 32 in total, 4 per system of a tenant, 8 per tenant. */
const atOnce = 32
const ofSystem = 4
const ofTenant = 8
const silentMax = 3

/** Limits polls per tenant and per system, so that a system that does not answer cannot use up all polls. */
export interface PollRoom {
  left(): number
  bounds(): PollsUnderWay
  /** Counts a poll as begun. Call the returned function at its end, with true if the system did not answer. */
  enter(operation: Pick<DueOperation, 'tenant_id' | 'system'>): (silent: boolean) => void
}

interface System {
  tenant_id: string
  underWay: number
  silences: number
  restsUntil: number
}

export function createPollRoom(restMs: number, now: () => number = monotonicMs): PollRoom {
  const systems = new Map<string, System>()
  const left = (): number => [...systems.values()].reduce((room, { underWay }) => room - underWay, atOnce)

  const byTenant = (): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const { tenant_id, underWay } of systems.values())
      counts.set(tenant_id, (counts.get(tenant_id) ?? 0) + underWay)
    return counts
  }

  return {
    left,
    bounds() {
      const time = now()
      for (const [name, { underWay, restsUntil }] of systems)
        if (underWay === 0 && restsUntil <= time) systems.delete(name)
      const polls = ({ underWay, restsUntil }: System): number => (restsUntil > time ? ofSystem : underWay)
      return {
        limit: left(),
        of_system: ofSystem,
        of_tenant: ofTenant,
        by_system: new Map([...systems].map(([name, system]) => [name, polls(system)])),
        by_tenant: byTenant(),
      }
    },
    enter({ tenant_id, system: name }) {
      const system = systems.get(name) ?? { tenant_id, underWay: 0, silences: 0, restsUntil: 0 }
      systems.set(name, system)
      system.underWay += 1
      return silent => {
        system.underWay -= 1
        system.silences = silent ? system.silences + 1 : 0
        if (system.silences >= silentMax) system.restsUntil = now() + restMs
      }
    },
  }
}
