import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { packageFile } from '../support/package-file.ts'
import { repositoryRoot } from '../support/repository-root.ts'

const run = promisify(execFile)

/** Compiling only takes types away; here they are checked, in two programs since the pages have a browser around them. */
test.each(['tsconfig.json', 'api/web/tsconfig.json'])(
  'the compiler finds no error in the types of %s',
  async project => {
    const state = join(repositoryRoot, '.cache', `${project.replaceAll('/', '-')}.tsbuildinfo`)
    const flags = ['--noEmit', '--incremental', '--tsBuildInfoFile', state]
    const parameters = [packageFile('typescript', 'bin/tsc'), '-p', join(repositoryRoot, project), ...flags]
    const ended = await run(process.execPath, parameters).catch((error: { stdout: string }) => error)
    expect(ended.stdout).toBe('')
  },
  600_000,
)
