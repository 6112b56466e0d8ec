import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'
import { agentKey, makePlace, makeSeed, type ServicePlace } from '../support/service/service-process.ts'
import { proposal } from '../support/service/tenant.ts'

let seed: ServicePlace
let place: ServicePlace

beforeAll(async () => {
  seed = await makeSeed()
})
afterEach(() => place.clear())
afterAll(() => seed.clear())

describe('an error that nobody catches', () => {
  it.each(['reject', 'throw'])('ends the process, which does nothing more: %s', async operation => {
    place = await makePlace(seed.directory)
    const db = await place.plant('db')
    const config = await place.configure({ system: 'failing', kind: 'module' })
    const flags = ['--tenant-db', db, '--config', config, '--bootstrap-admin-key-name', 'ops']
    const module = join(repositoryRoot, 'dist/test/support/fixtures/failing-actuator.js')
    const service = await place.start([...flags, '--actuators', module])
    const key = await agentKey(service)
    const json = proposal({ system: 'failing', operation })
    const answer = service.call('POST', '/v1/actions', { key, json, headers: { prefer: 'wait=5' } })
    await Promise.allSettled([answer])
    expect(await service.process.exited).toEqual({ code: 1, signal: null })
    expect(service.process.output()).toContain('fatal: Error: nobody catches this')
  })
})
