import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import { type PlatformProcess, startProcess } from '../../support/platform/platform-process.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { databaseUrl } from '../../support/service/service.ts'
import {
  agentKey,
  makePlace,
  makeSeed,
  type ServicePlace,
  stop,
} from '../../support/service/service-process.ts'
import { proposal } from '../../support/service/tenant.ts'

/** Wherever the data is said to be: what is allowed is executed, by the service itself or by a worker beside it. */

type Place = 'nowhere' | 'directory' | 'url'

/** Who executes, by `--tenant-db` and whether there is a `DATABASE_URL`. */
const modes: Record<Place, { unset: string; set: string }> = {
  nowhere: { unset: 'embedded', set: 'platform' },
  directory: { unset: 'embedded', set: 'embedded' },
  url: { unset: 'embedded', set: 'platform' },
}
const places = Object.keys(modes) as Place[]
const mixes = places.flatMap(tenants =>
  places.flatMap(keys =>
    (['unset', 'set'] as const).flatMap(database =>
      (['unset', 'set'] as const).map(redis => ({ tenants, keys, database, redis })),
    ),
  ),
)
type Mix = (typeof mixes)[number]

let seed: ServicePlace
let place: ServicePlace
let databases: FreshDatabase[]
let workers: PlatformProcess[]

beforeAll(async () => {
  seed = await makeSeed()
})

beforeEach(async () => {
  place = await makePlace(seed.directory)
  databases = []
  workers = []
})

afterEach(async () => {
  for (const worker of workers) worker.signal('SIGKILL')
  await Promise.all(workers.map(({ exited }) => exited))
  await place.clear()
  for (const database of databases) await database.drop()
})

afterAll(() => seed.clear())

async function freshUrl(): Promise<string> {
  const database = await freshDatabase()
  databases.push(database)
  return databaseUrl(database)
}

async function flagOf(flag: string, where: Place): Promise<string[]> {
  if (where === 'nowhere') return []
  return [flag, where === 'url' ? await freshUrl() : await place.plant(flag)]
}

async function environmentOf({ database, redis }: Mix): Promise<Record<string, string>> {
  return {
    SERVICE_QUEUE_PREFIX: `mix-${place.directory.split('-').at(-1)?.toLowerCase()}`,
    ...(database === 'set' ? { DATABASE_URL: await freshUrl() } : {}),
    ...(redis === 'set' ? { REDIS_URL: inject('redisUrl') } : {}),
  }
}

function startWorker(flags: string[], environment: Record<string, string>): void {
  const program = { name: 'worker', file: 'worker/bin/worker.js', flags }
  workers.push(startProcess({ ...program, environment: { ...environment, SERVICE_WORKER_PORT: '0' } }))
}

describe.each(mixes)('tenants $tenants, keys $keys, DATABASE_URL $database, REDIS_URL $redis', mix => {
  const mode = modes[mix.tenants][mix.database]

  it(`a service in ${mode} mode executes what it allows`, async () => {
    const environment = await environmentOf(mix)
    const tenants = await flagOf('--tenant-db', mix.tenants)
    const keys = await flagOf('--api-key-db', mix.keys)
    const config = await place.configure()
    const ops = ['--config', config, '--bootstrap-admin-key-name', 'ops']
    const service = await place.start([...tenants, ...keys, ...ops], environment)
    const warning = 'no worker was seen: what is allowed waits until one runs (npm run start:worker)'
    const key = await agentKey(service)
    expect(service.process.lines(warning)).toHaveLength(mode === 'platform' ? 1 : 0)
    if (mode === 'platform') startWorker(tenants, environment)
    const { body } = await service.call<Verdict>('POST', '/v1/actions', { key, json: proposal() })
    const status = async () =>
      (await service.call<{ status: string }>('GET', `/v1/actions/${body.action_id}?wait=5`, { key })).body
        .status
    await expect.poll(status, { timeout: 20_000 }).toBe('executed')
    expect((await service.process.logged('listening'))[0]?.mode).toBe(mode)
    await stop(service)
  }, 90_000)
})
