import type { FailedTest, TestRun } from '../guards/test-run.ts'

/** What became of a mutant: a test that passes without it fails with it, or no test does. */
export type Verdict = { killed: true; by: string } | { killed: false; ran: number }

/** Runs test files, to the first failure or to their end. */
export type Tries = (tests: readonly string[], to: 'failure' | 'end') => Promise<TestRun>

/** What passes without a mutant, asked of each file once. */
export interface Control {
  passing(tests: readonly string[]): Promise<ReadonlySet<string>>
}

export function createControl(tries: Tries, say: (line: string) => void): Control {
  const known = new Map<string, ReadonlySet<string>>()
  return {
    async passing(tests) {
      const name = tests.join(' ')
      const before = known.get(name)
      if (before) return before
      const { passed, failed, broken } = await tries(tests, 'end')
      for (const test of [...failed.map(({ name }) => name), ...broken])
        say(`fails without a mutant: ${test}`)
      const passing = new Set(passed)
      known.set(name, passing)
      return passing
    },
  }
}

/**
 * Runs stage after stage until a test fails that passes without the mutant; `mutant` has the mutant in place meanwhile. What
 * passes with the mutant is not run without it.
 */
export async function judgeMutant(
  stages: readonly (readonly string[])[],
  control: Control,
  mutant: Tries,
): Promise<Verdict> {
  let ran = 0
  for (const tests of stages) {
    const by = await noticed(tests, control, mutant)
    if (by !== null) return { killed: true, by }
    ran += tests.length
  }
  return { killed: false, ran }
}

/**
 * A test that ran out of time may have met a busy machine: only a second time it says something. One that fails without the
 * mutant as well hides what comes after it, so that the rest is run too.
 */
async function noticed(tests: readonly string[], control: Control, mutant: Tries): Promise<string | null> {
  const run = await mutant(tests, 'failure')
  if (run.failed.length === 0 && run.broken.length === 0) return null
  const passing = await control.passing(tests)
  const first = killer(run, passing)
  if (first && !first.late) return first.name
  return killer(await mutant(tests, 'end'), passing)?.name ?? null
}

function killer(run: TestRun, passing: ReadonlySet<string>): { name: string; late: boolean } | null {
  const failed = run.failed.filter(({ name }) => passing.has(name))
  const [plain] = failed.filter(test => !isLate(test))
  const [test = null] = plain ? [plain] : failed
  if (test) return { name: test.name, late: isLate(test) }
  const [broken] = passing.size === 0 ? [] : run.broken
  return broken === undefined ? null : { name: broken.split('\n')[0] ?? '', late: true }
}

function isLate({ messages }: FailedTest): boolean {
  return messages.some(message => /timed out|STACK_TRACE_ERROR/.test(message))
}
