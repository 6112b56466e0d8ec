import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule, TestRunEndReason } from 'vitest/node'
import { findLeaks } from './audit/find-leaks.ts'
import { logsVariable } from './audit/kept-logs.ts'
import { tooLong } from './long-titles.ts'

/**
 * Ends a run with the plain line `N passed, N failed` (`, N skipped` may follow). A test file that could not be
 * loaded, an error outside of any test and a set-up that failed count too, so the line never looks better than the
 * exit status; and a secret in anything that was logged during the run, and a title that is too long.
 */
export class CountReporter implements Reporter {
  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
    reason: TestRunEndReason,
  ): Promise<void> {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const count = (state: string) => tests.filter(test => test.result().state === state).length
    const found = (await countLeaks()) + countLongTitles(tests)
    const outsideFiles = found + unhandledErrors.length
    writeFailedFiles(outsideFiles === 0 ? modules.filter(module => !module.ok()) : [])
    const seen = count('failed') + brokenOutsideTests(modules) + unhandledErrors.length + found
    const failed = seen === 0 && reason !== 'passed' ? 1 : seen
    const skipped = count('skipped')
    for (const line of skippedFor(tests)) process.stdout.write(`${line}\n`)
    const line = `${count('passed')} passed, ${failed} failed`
    process.stdout.write(`\n${line}${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
  }
}

/**
 * The files that failed, a line each, for whoever runs them once more alone. The list is empty where something failed
 * that is of no file, since no file that passes alone excuses that.
 */
function writeFailedFiles(modules: readonly TestModule[]): void {
  const list = process.env.FAILED_TEST_FILES
  if (!list) return
  const files = new Set(modules.map(({ relativeModuleId }) => relativeModuleId))
  writeFileSync(list, [...files].map(file => `${file}\n`).join(''))
}

/** Of each test that was skipped because something is missing: which, and what. */
function skippedFor(tests: readonly TestCase[]): string[] {
  return tests.flatMap(test => {
    const result = test.result()
    const note = result.state === 'skipped' ? result.note : undefined
    return note === undefined ? [] : [`skipped: ${test.module.relativeModuleId}: ${test.name}: ${note}`]
  })
}

/** Files and suites that failed by themselves: an import that throws, a hook that fails. */
function brokenOutsideTests(modules: readonly TestModule[]): number {
  const suites = modules.flatMap(module => [module, ...module.children.allSuites()])
  return suites.filter(suite => suite.errors().length > 0).length
}

const shownMax = 20

function countLongTitles(tests: readonly TestCase[]): number {
  const lines = tooLong(tests)
  for (const line of lines.slice(0, shownMax)) process.stdout.write(`${line}\n`)
  if (lines.length > 0) process.exitCode = 1
  return lines.length
}

/** Lines of the kept logs that show a secret; any of them fails the run. */
async function countLeaks(): Promise<number> {
  const directory = process.env[logsVariable]
  if (!directory) return 0
  const { files, lines, secrets, leaks } = await findLeaks(directory)
  if (files > 0)
    process.stdout.write(`\n${lines} log lines of ${files} logs looked through for ${secrets} secrets\n`)
  for (const { file, line, begins } of leaks.slice(0, shownMax)) {
    process.stdout.write(`a secret is in the log: ${directory}/${file}:${line} (begins with ${begins})\n`)
  }
  if (leaks.length > 0) {
    process.exitCode = 1
    delete process.env[logsVariable]
  }
  return leaks.length
}
