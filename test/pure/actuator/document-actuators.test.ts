import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { actuatorListSchema } from '../../../shared/contract/configuration/actuator-schema.ts'
import { repositoryRoot } from '../../support/repository-root.ts'

it('the actuators that the documents show can be registered', () => {
  const page = readFileSync(join(repositoryRoot, 'api/docs/actuators.md'), 'utf8')
  const [, shown = ''] = /```json\n(\{\n {2}"actuators":[^`]+)```/.exec(page) ?? []
  const { actuators } = actuatorListSchema.parse(JSON.parse(shown))
  expect(actuators.map(({ kind }) => kind)).toEqual(['http', 'mcp', 'module'])
})
