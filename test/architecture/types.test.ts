import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { packageFile } from '../support/package-file.ts'
import { repositoryRoot } from '../support/repository-root.ts'

const run = promisify(execFile)

/**
 * Compiling only takes types away; here they are checked, in two programs since the pages have a browser around them.
 * One thread: several checkers look at the same types again, and other tests want the other cores.
 */
test.each(['tsconfig.json', 'api/web/tsconfig.json'])(
  'the compiler finds no error in the types of %s',
  async project => {
    const compiler = packageFile('typescript-native', 'bin/tsc')
    const state = join(repositoryRoot, '.cache', `native-${project.replaceAll('/', '-')}.tsbuildinfo`)
    const flags = ['--noEmit', '--singleThreaded', '--incremental', '--tsBuildInfoFile', state]
    const parameters = [compiler, '-p', join(repositoryRoot, project), ...flags]
    const ended = await run(process.execPath, parameters).catch((error: { stdout: string }) => error)
    expect(ended.stdout).toBe('')
  },
  600_000,
)
