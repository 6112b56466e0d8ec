import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Guard } from './guard.ts'

/** What a run of test files came to. */
export interface TestRun {
  passed: string[]
  failed: FailedTest[]
  /** Why the run says nothing: a set-up that failed, a file that could not be loaded, a run that did not end. */
  broken: string[]
}

export interface FailedTest {
  name: string
  messages: string[]
}

const runMsMax = 300_000

/** Which tests are run, of which projects if not of all; after so many failures (`bail`) the rest is left out. */
export interface Asked extends Pick<Guard, 'tests' | 'named'> {
  projects?: readonly string[]
  bail?: number
}

/** Runs test files of a checkout in a process of its own, which is told to end when the signal aborts. */
export async function runTests(
  directory: string,
  { tests: files, named, projects = [], bail = 0 }: Asked,
  signal: AbortSignal,
): Promise<TestRun> {
  const report = join(directory, 'report.json')
  await rm(report, { force: true })
  const chosen = named === undefined ? files : [`--testNamePattern=${named}`, ...files]
  const reporting = ['--reporter=json', `--outputFile=${report}`, `--bail=${bail}`]
  reporting.push(...projects.map(project => `--project=${project}`))
  const output = await vitest(directory, [...reporting, ...chosen], signal)
  signal.throwIfAborted()
  try {
    const run = readReport(directory, files, JSON.parse(await readFile(report, 'utf8')) as Report)
    // What was left out after a failure is not broken.
    return bail > 0 && run.failed.length > 0 ? { ...run, broken: [] } : run
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { passed: [], failed: [], broken: [`the tests left no report:\n${output.slice(-2_000)}`] }
  }
}

/** Of Vitest's JSON reporter, what is read here. */
interface Report {
  success: boolean
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[]
  }[]
}

function readReport(directory: string, files: readonly string[], { success, testResults }: Report): TestRun {
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status, failureMessages }) => ({
      name: `${relative(directory, name)}: ${fullName}`,
      status,
      messages: failureMessages ?? [],
    })),
  )
  const failed = tests.filter(({ status }) => status === 'failed')
  const broken = [
    ...testResults
      .filter(
        file => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'),
      )
      .map(({ name, message }) => `${relative(directory, name)} failed outside of its tests: ${message}`),
    ...files
      .filter(file => !testResults.some(({ name }) => relative(directory, name) === file))
      .map(file => `${file} was not run`),
  ]
  if (!success && failed.length === 0 && broken.length === 0) broken.push('an error outside of every test')
  return {
    passed: tests.filter(({ status }) => status === 'passed').map(({ name }) => name),
    failed: failed.map(({ name, messages }) => ({ name, messages })),
    broken,
  }
}

/** Ends with what it printed, whatever its exit status; the report says more. */
function vitest(directory: string, parameters: readonly string[], signal: AbortSignal): Promise<string> {
  const program = join(directory, 'node_modules/vitest/vitest.mjs')
  const child = spawn(
    process.execPath,
    [program, 'run', '--config', 'test/vitest.config.ts', ...parameters],
    {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: runMsMax,
      env: { ...process.env, NO_COLOR: '1' },
    },
  )
  const kill = () => child.kill()
  signal.addEventListener('abort', kill)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      signal.removeEventListener('abort', kill)
      resolve(output)
    })
  })
}
