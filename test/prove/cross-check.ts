import { parseArgs } from 'node:util'
import { checkCase } from './check-case.ts'
import { checkDiffCase } from './check-diff-case.ts'

/**
 * Compares proofs with brute force: `--cases` random outcomes, and a fifth as many differences of policies, from `--seed`
 * on. Prints what disagrees and a line of counts; ends with 1 where something does.
 */
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    tries: { type: 'string', default: '150' },
  },
})
const seed = Number(values.seed)
const cases = Number(values.cases)
const tries = Number(values.tries)
const outcomes = count('outcomes', cases, checkCase)
const differences = count('differences', Math.floor(cases / 5), checkDiffCase)
process.exitCode = outcomes + differences === 0 ? 0 : 1

interface Checked {
  result: string
  disagreement: string | null
}

/** How many cases disagree. */
function count(what: string, limit: number, check: (seed: number, tries: number) => Checked): number {
  const begun = performance.now()
  const tally = new Map<string, number>()
  let disagreements = 0
  for (let at = 0; at < limit; at += 1) {
    const { result, disagreement } = check(seed + at, tries)
    tally.set(result, (tally.get(result) ?? 0) + 1)
    if (disagreement === null) continue
    disagreements += 1
    process.stdout.write(`${disagreement}\n`)
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  const told = [...tally].map(([result, number]) => `${number} ${result}`).join(', ')
  process.stdout.write(`${limit} ${what}: ${told}; ${disagreements} disagreements, ${seconds} s\n`)
  return disagreements
}
