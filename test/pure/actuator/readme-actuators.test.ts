import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { actuatorListSchema } from '../../../shared/contract/actuator.ts'
import { repositoryRoot } from '../../support/repository-root.ts'

it('the actuators that the README shows can be registered', () => {
  const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8')
  const [, shown = ''] = /```json\n(\{\n {2}"actuators":[^`]+)```/.exec(readme) ?? []
  const { actuators } = actuatorListSchema.parse(JSON.parse(shown))
  expect(actuators.map(({ kind }) => kind)).toEqual(['http', 'mcp', 'module'])
})
