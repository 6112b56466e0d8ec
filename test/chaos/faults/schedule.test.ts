import { describe, expect, it } from 'vitest'
import { serverNames } from '../real/real-systems.ts'
import { apiNames, tenantIds, workerNames } from '../settings.ts'
import { tellStory } from '../workload.ts'
import { faultKinds, planFaults } from './schedule.ts'
import { seededRandom } from './seeded-random.ts'

const victims = { apis: apiNames, workers: workerNames, tenants: tenantIds, servers: serverNames }
const threeMinutes = 3 * 60_000

describe('the plan of a run', () => {
  it('is that of its seed', () => {
    expect(planFaults(7, threeMinutes, victims)).toEqual(planFaults(7, threeMinutes, victims))
    expect(planFaults(7, threeMinutes, victims)).not.toEqual(planFaults(8, threeMinutes, victims))
  })

  it('begins as that of a shorter run with the same seed', () => {
    const short = planFaults(7, threeMinutes, victims)
    expect(planFaults(7, 2 * threeMinutes, victims).slice(0, short.length)).toEqual(short)
  })

  it('leaves out what the machine cannot do, and deals everything else', () => {
    const plan = planFaults(7, 3 * threeMinutes, { ...victims, leftOut: ['clock_step'] })
    expect(new Set(plan.map(({ kind }) => kind))).toEqual(
      new Set(faultKinds.filter(kind => kind !== 'clock_step')),
    )
  })

  it('has 20 to 40 faults a minute, 300 in ten minutes, and every kind in three', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const plan = planFaults(seed, threeMinutes, victims)
      expect(plan.length).toBeGreaterThanOrEqual(60)
      expect(plan.length).toBeLessThanOrEqual(120)
      expect(new Set(plan.map(({ kind }) => kind))).toEqual(new Set(faultKinds))
      expect(planFaults(seed, 600_000, victims).length).toBeGreaterThanOrEqual(300)
    }
  })
})

it('the same seed tells the same stories', () => {
  const stories = (seed: number) => {
    const random = seededRandom(seed, 'workload')
    return Array.from({ length: 100 }, (_, n) => tellStory(random, n))
  }
  expect(stories(7)).toEqual(stories(7))
  expect(stories(7)).not.toEqual(stories(8))
  const held = stories(7).filter(({ risk }) => risk === 'high')
  expect(held.length).toBeGreaterThan(10)
  expect(held.length).toBeLessThan(60)
})
