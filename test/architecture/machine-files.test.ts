import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { machineFiles, machineFolders } from '../support/machine-files.ts'
import { repositoryRoot } from '../support/repository-root.ts'

test('each test that only machines run exists', () => {
  const missing = [...machineFolders, ...machineFiles].filter(path => !existsSync(join(repositoryRoot, path)))
  expect(missing).toEqual([])
})
