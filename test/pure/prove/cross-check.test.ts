import { describe, expect, test } from 'vitest'
import { checkCase } from '../../prove/check-case.ts'
import { checkDiffCase } from '../../prove/check-diff-case.ts'

interface Checked {
  result: string
  disagreement: string | null
}

/** How often each result came, and what disagrees; the long run is test/prove/cross-check.ts. */
function run(
  count: number,
  check: (seed: number, tries: number) => Checked,
): { results: Set<string>; wrong: string[] } {
  const checked = Array.from({ length: count }, (_, at) => check(500_000_000 + at, 60))
  return {
    results: new Set(checked.map(({ result }) => result)),
    wrong: checked.flatMap(({ disagreement }) => disagreement ?? []),
  }
}

describe('proofs and brute force agree', () => {
  test('on outcomes of random documents', () => {
    const { results, wrong } = run(700, checkCase)
    expect(wrong).toEqual([])
    expect([...results]).toEqual(expect.arrayContaining(['reachable', 'unreachable']))
  })

  test('on differences of random documents', () => {
    const { results, wrong } = run(150, checkDiffCase)
    expect(wrong).toEqual([])
    expect([...results]).toEqual(expect.arrayContaining(['different', 'equivalent']))
  })
})
