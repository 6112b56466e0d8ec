import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { machineFiles, machineFolders } from '../support/machine-files.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { slowFiles } from '../support/slow-first.ts'

test('each test that only machines run, or that begins first, exists', () => {
  const named = [...machineFolders, ...machineFiles, ...slowFiles]
  const missing = named.filter(path => !existsSync(join(repositoryRoot, path)))
  expect(missing).toEqual([])
})
