import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'

const run = promisify(execFile)

test('the pages are type-checked, as a program of their own with the browser around it', async () => {
  const compiler = join(repositoryRoot, 'node_modules', 'typescript', 'bin', 'tsc')
  const parameters = [compiler, '-p', join(repositoryRoot, 'api', 'web', 'tsconfig.json')]
  const told = await run(process.execPath, parameters).catch((error: { stdout: string }) => error)
  expect(told.stdout).toBe('')
}, 120_000)
