import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TestRun } from '../guards/test-run.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { areas } from './areas.ts'
import { chosenMutants, keptMutants, possibleMutants } from './choose.ts'
import { createControl, judgeMutant } from './judge-mutant.ts'
import { mutantsOf, mutated } from './mutate.ts'
import { createReach } from './reach.ts'
import { stagesOf } from './stages.ts'
import { reasonOf, survivors } from './survivors.ts'
import { isListed, verdicts } from './verdicts.ts'

const planted = `
export type Size = 1 | true
const sizeMax = 3
export function judge(size: number, held: boolean) {
  if (size > sizeMax && !held) return size + 1
  return held ? true : size === 0
}
const text = \`select a from events e where a is null order by e.sequence desc limit 1\`
`

describe('mutants of a source', () => {
  const found = mutantsOf('a.ts', planted)

  it('change conditions, operators, numbers, truths and statements, and no types', () => {
    expect(found.map(({ line, from, to }) => `${line}: ${from} → ${to}`)).toEqual([
      '3: 3 → (3 + 1)',
      '5: size > sizeMax && !held → !(size > sizeMax && !held)',
      '5: > → >=',
      '5: && → ||',
      '5: ! → ',
      '5: + → -',
      '5: 1 → (1 + 1)',
      '6: held → !(held)',
      '6: true → false',
      '6: === → !==',
      '6: 0 → (0 + 1)',
      '8: is null → is not null',
      '8:  desc → ',
    ])
  })

  it('are one change each', () => {
    const texts = found.map(mutant => mutated(planted, mutant))
    expect(new Set(texts).size).toBe(found.length)
    expect(texts).not.toContain(planted)
    expect(() => mutated('elsewhere', found[0] ?? expect.fail())).toThrow('there is no 3 at')
  })
})

describe('the chosen mutants', () => {
  it('are at least 60, the same for the same seed, and others for another', () => {
    const names = (seed: number) => chosenMutants(seed).map(({ file, start, to }) => `${file} ${start} ${to}`)
    expect(new Set(names(1)).size).toBeGreaterThanOrEqual(60)
    expect(names(1)).toEqual(names(1))
    expect(names(1)).not.toEqual(names(2))
  })

  it('without a seed are first those with a verdict, as many of an area as it says', () => {
    for (const area of areas) {
      const kept = keptMutants([area])
      const listed = possibleMutants(area).filter(isListed)
      expect(kept).toHaveLength(area.count)
      expect(kept.slice(0, listed.length).every(isListed)).toBe(true)
    }
  })

  it('with a verdict are of files that exist, and so are the tests that killed them', () => {
    const named = verdicts().flatMap(({ file, killed_by }) => [file, killed_by.split(': ')[0] ?? ''])
    expect(named.filter(path => !existsSync(join(repositoryRoot, path)))).toEqual([])
  })

  it('have one verdict each, which names a test', () => {
    const names = verdicts().map(({ file, text, place, to }) => [file, text, place, to].join(' '))
    expect(new Set(names).size).toBe(names.length)
    for (const { killed_by } of verdicts()) expect(killed_by).toMatch(/^test\/\S+\.test\.ts: ./)
  })

  it('are chosen among those that confuse the first attempt with the latest', () => {
    const possible = areas
      .flatMap(possibleMutants)
      .filter(({ file }) => file === 'shared/store/job/job-sql.ts')
    expect(possible.map(({ from, to }) => [from, to])).toEqual(
      expect.arrayContaining([
        [' desc', ''],
        ['', ' desc'],
      ]),
    )
  })

  it.each(areas)('of $name are reached by tests, those without servers first', ({ files }) => {
    const reach = createReach()
    for (const file of files) {
      const tests = reach(file)
      expect(tests.length).toBeGreaterThan(0)
      const run = stagesOf(tests, file).flat()
      expect(run.length).toBeLessThanOrEqual(tests.length)
      const pure = run.filter(test => test.startsWith('test/pure/'))
      expect(run.slice(0, pure.length)).toEqual(pure)
    }
  })

  it('that may survive stand where the list says, each with a reason', () => {
    for (const survivor of survivors) {
      const { file, reason, ...about } = survivor
      const found = mutantsOf(file, readFileSync(join(repositoryRoot, file), 'utf8'))
      const same = found.filter(mutant => reasonOf(mutant) === reason)
      expect({ file, ...about, found: same.length }).toEqual({ file, ...about, found: 1 })
      expect(reason.length).toBeGreaterThan(20)
    }
  })
})

describe('a mutant', () => {
  const ran = (failed: { name: string; messages: string[] }[], broken: string[] = []) => ({
    passed: ['works'],
    failed,
    broken,
  })
  const asserted = { name: 'fences', messages: ['AssertionError: expected 1'] }
  const late = { name: 'fences', messages: ['Error: Test timed out in 30000ms.'] }
  const clean: TestRun = { passed: ['works', 'fences'], failed: [], broken: [] }
  const judge = (runs: TestRun[], without = clean) => {
    const asked: (readonly string[])[] = []
    const control = createControl(
      async () => without,
      () => undefined,
    )
    const answer = judgeMutant([['a'], ['b']], control, async tests => {
      asked.push(tests)
      return runs[asked.length - 1] ?? clean
    })
    return answer.then(verdict => ({ verdict, asked }))
  }

  it('is killed by the first test that fails, and no more are run', async () => {
    expect(await judge([ran([asserted])])).toEqual({
      verdict: { killed: true, by: 'fences' },
      asked: [['a']],
    })
  })

  it('survives where every test of every stage passes', async () => {
    expect(await judge([])).toEqual({ verdict: { killed: false, ran: 2 }, asked: [['a'], ['b']] })
  })

  it('is not killed by a test that fails without it, nor by one that is late once', async () => {
    const failing = { passed: ['works'], failed: [asserted], broken: [] }
    expect((await judge([ran([asserted]), ran([asserted])], failing)).verdict).toEqual({
      killed: false,
      ran: 2,
    })
    expect(await judge([ran([late])])).toMatchObject({
      verdict: { killed: false },
      asked: [['a'], ['a'], ['b']],
    })
    expect((await judge([ran([late]), ran([late])])).verdict).toEqual({ killed: true, by: 'fences' })
  })
})
