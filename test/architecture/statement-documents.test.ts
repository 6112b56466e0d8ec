import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claimScript, claimScriptPath } from '../support/claim-script.ts'
import { repositoryRoot } from '../support/repository-root.ts'

test('the script of a claim equals the statements that the store sends', () => {
  const path = join(repositoryRoot, claimScriptPath)
  if (process.env.UPDATE_DOCUMENTS === '1') writeFileSync(path, claimScript())
  const advice = 'run UPDATE_DOCUMENTS=1 npx vitest run --config test/vitest.config.ts documents'
  expect(existsSync(path) && readFileSync(path, 'utf8'), advice).toBe(claimScript())
})
