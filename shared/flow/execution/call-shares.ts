import type { Config } from '../../runtime/settings/config.ts'
import type { ClaimBounds } from '../../store/job/claim/due-jobs.ts'

/** Of the slots of a worker, what one tenant may fill: the rest is for the single job of another. */
const tenantShare = 0.8
/** Of what a tenant may have, one in nine is for its other systems: one that never answers leaves them so much. */
const leftBySystem = 9

/** Slots of a worker that one tenant may fill, and one of its systems: of fifty 40 and 36. */
export function slotShares(slots: number): ClaimBounds['shares'] {
  const tenant = Math.ceil(slots * tenantShare)
  return { tenant, system: allButOneIn(leftBySystem, tenant) }
}

/** Calls under way over all workers: what is set for a system, where that leaves the others of its tenant their part. */
export function inFlightBounds({
  tenant_in_flight_max,
  actuator_in_flight_max,
}: Pick<Config, 'tenant_in_flight_max' | 'actuator_in_flight_max'>): Pick<
  ClaimBounds,
  'tenant_in_flight_max' | 'actuator_in_flight_max'
> {
  const ofSystem = allButOneIn(leftBySystem, tenant_in_flight_max)
  return { tenant_in_flight_max, actuator_in_flight_max: Math.min(actuator_in_flight_max, ofSystem) }
}

/** One is left at least, and one is taken at least. */
function allButOneIn(parts: number, whole: number): number {
  return Math.max(1, whole - Math.max(1, Math.floor(whole / parts)))
}
