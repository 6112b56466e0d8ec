import { describe, expect, it } from 'vitest'
import { readSchema } from '../../../shared/gate/closed-schema.ts'
import { judgeParameters } from '../../../shared/json-schema/judge-parameters.ts'
import { costlyCases } from '../../support/fixtures/costly-cases.ts'

/**
 * What one proposal may cost under a legal catalog, in time of the processor: 20 ms are meant, 100 are the bound, and without
 * bounds on everything that is looked at it was seconds. A busy machine takes longer for the same work, so the bound is a
 * multiple of plain work beside it that takes 50 ms on a quiet one.
 */
const timesPlainMax = 2
const plainRounds = 50

const plain = Array.from({ length: 2_000 }, (_, at) => ({ name: `n${at}`, list: [at, at + 1, at + 2] }))

function plainWork(): void {
  for (let round = 0; round < plainRounds; round += 1) JSON.parse(JSON.stringify(plain))
}

function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

describe('a proposal under a legal catalog', () => {
  it.each(costlyCases)('costs little with %s', (_what, schema, value) => {
    expect(readSchema(schema).errors).toEqual([])
    const before = cpuMsOf(plainWork)
    const cost = cpuMsOf(() => judgeParameters(schema, { m: value }))
    expect(cost).toBeLessThan(timesPlainMax * Math.max(before, cpuMsOf(plainWork)))
  })
})
