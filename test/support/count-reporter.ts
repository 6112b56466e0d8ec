import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node'

/**
 * Ends a run with the plain line `N passed, N failed` (`, N skipped` may follow). A test file that could not be
 * loaded, an error outside of any test and a set-up that failed count too, so the line never looks better than the
 * exit status.
 */
export class CountReporter implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
    reason: TestRunEndReason,
  ): void {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const count = (state: string) => tests.filter(test => test.result().state === state).length
    const seen = count('failed') + brokenOutsideTests(modules) + unhandledErrors.length
    const failed = seen === 0 && reason !== 'passed' ? 1 : seen
    const skipped = count('skipped')
    const line = `${count('passed')} passed, ${failed} failed`
    process.stdout.write(`\n${line}${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
  }
}

/** Files and suites that failed by themselves: an import that throws, a hook that fails. */
function brokenOutsideTests(modules: readonly TestModule[]): number {
  const suites = modules.flatMap(module => [module, ...module.children.allSuites()])
  return suites.filter(suite => suite.errors().length > 0).length
}
