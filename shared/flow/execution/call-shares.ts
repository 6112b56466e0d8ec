import type { Config } from '../../runtime/settings/config.ts'
import type { ClaimBounds } from '../../store/job/claim/due-jobs.ts'

/** One tenant may fill 80 % of a worker's slots, so that a job of another tenant finds one free. */
const tenantShare = 0.8
/**
 * A system may take eight ninths of its tenant's slots, so that one that never answers leaves a ninth to the
 * others.
 */
const leftBySystem = 9

/** Returns the slots of a worker for one tenant and one of its systems: 40 and 36 of fifty. */
export function slotShares(slots: number): ClaimBounds['shares'] {
  const tenant = Math.ceil(slots * tenantShare)
  return { tenant, system: allButOneIn(leftBySystem, tenant) }
}

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

/** Subtracts one of `parts` equal parts from the whole, and at least 1; returns at least 1. */
function allButOneIn(parts: number, whole: number): number {
  return Math.max(1, whole - Math.max(1, Math.floor(whole / parts)))
}
