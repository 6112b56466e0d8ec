import type { FailedTest, TestRun } from './test-run.ts'

/** Whether the tests noticed that a guard was missing. */
export type Judgement = { noticed: true; by: string[] } | { noticed: false; because: string }

/** Errors that say that the removal left no working product, rather than one that misbehaves. */
const nonsense = /\b(SyntaxError|ReferenceError)\b|syntax error at or near|column \S+ does not exist/

/**
 * A removed guard is noticed where a test that passes with it fails by an assertion without it, and where the rest still
 * works: a product that does not load, or does nothing any more, would prove nothing.
 */
export function judgeRemoval(run: TestRun, control: ReadonlySet<string>): Judgement {
  const unsaid = (because: string): Judgement => ({ noticed: false, because })
  if (run.broken.length > 0) return unsaid(run.broken.join('\n'))
  const broke = run.failed.find(({ messages }) => messages.some(message => nonsense.test(message)))
  if (broke)
    return unsaid(`what is left does not run: ${broke.name}: ${broke.messages.join('\n').slice(0, 500)}`)
  const by = run.failed
    .filter(test => control.has(test.name) && failedByAssertion(test))
    .map(({ name }) => name)
  if (by.length === 0) return unsaid(whyNot(run.failed))
  if (run.passed.length === 0) return unsaid('not one test passed, so the removal took more than the guard')
  return { noticed: true, by }
}

/** Vitest gives an assertion that was waited for the name of a plain error; one that ran out of time is none. */
function failedByAssertion({ messages }: FailedTest): boolean {
  return messages.some(message => /^(AssertionError\b|Error: (expected|promise) )/.test(message))
}

function whyNot(failed: readonly FailedTest[]): string {
  if (failed.length === 0) return 'every test passed'
  const shown = failed.map(({ name, messages }) => `${name}: ${messages[0]?.split('\n')[0] ?? ''}`)
  return `no test that passes with the guard failed by an assertion:\n${shown.join('\n')}`
}
