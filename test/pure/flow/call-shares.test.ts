import { describe, expect, it } from 'vitest'
import { inFlightBounds, slotShares } from '../../../shared/flow/execution/call-shares.ts'

describe('the slots of a worker', () => {
  it.each([
    [1, 1, 1],
    [2, 2, 1],
    [3, 3, 2],
    [5, 4, 3],
    [10, 8, 7],
    [50, 40, 36],
    [1_000, 800, 712],
  ])('%i leave a tenant %i, and a system of it %i', (slots, tenant, system) => {
    expect(slotShares(slots)).toEqual({ tenant, system })
  })

  it('that leave three of them some, always do', () => {
    for (let slots = 5; slots <= 1_000; slots += 1) {
      const { tenant, system } = slotShares(slots)
      expect(system).toBeGreaterThan(0)
      expect(tenant).toBeGreaterThan(system)
      expect(slots).toBeGreaterThan(tenant)
    }
  })
})

describe('the calls under way of a system, over all workers', () => {
  it.each([
    [1_000, 500, 500],
    [500, 500, 445],
    [3, 500, 2],
    [1, 500, 1],
  ])('of a tenant that may have %i, with %i set, are %i', (tenant, actuator, calls) => {
    expect(inFlightBounds({ tenant_in_flight_max: tenant, actuator_in_flight_max: actuator })).toEqual({
      tenant_in_flight_max: tenant,
      actuator_in_flight_max: calls,
    })
  })
})
