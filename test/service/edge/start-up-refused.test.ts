import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { repositoryRoot } from '../../support/repository-root.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { freePort } from '../../support/servers/redis-program.ts'
import { databaseUrl } from '../../support/service/service.ts'
import { plainPolicy } from '../../support/service/tenant.ts'

interface Ended {
  code: number
  stdout: string
  stderr: string
}

let directory: string
let database: FreshDatabase

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'action-gate-start-'))
  database = await freshDatabase()
})

afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
  await database.drop()
})

/** Runs a program that is to end by itself. */
function run(
  flags: string[],
  environment: Record<string, string> = {},
  program = 'api/bin/service.js',
): Promise<Ended> {
  return new Promise(resolve => {
    const env = { PATH: process.env.PATH, ...environment }
    const path = join(repositoryRoot, 'dist', program)
    execFile(process.execPath, [path, ...flags], { env, timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

async function file(content: string): Promise<string> {
  const path = join(directory, `${Math.random().toString(36).slice(2)}.json`)
  await writeFile(path, content)
  return path
}

function refused({ code, stdout, stderr }: Ended, expectedCode: number): string {
  expect({ code, stdout }).toEqual({ code: expectedCode, stdout: '' })
  expect(stderr).not.toMatch(/\n\s+at /)
  return stderr
}

describe('invalid start-up input ends with exit code 2 and says where it is', () => {
  const shop = { tenant_id: 'shop', policy: plainPolicy }

  it.each<[string, string]>([
    ['{"tenants": [', 'tenants[0]'],
    [
      JSON.stringify({
        tenants: [shop, { ...shop, tenant_id: 'b', policy: { ...plainPolicy, review_route: '' } }],
      }),
      'tenants[1].policy.review_route',
    ],
  ])('a configuration file with %.40s', async (content, path) => {
    const config = await file(content)
    const stderr = refused(await run(['--config', config]), 2)
    expect(stderr).toContain(`${config}: ${path}`)
  })

  it('a configuration file that is not there', async () => {
    expect(refused(await run(['--config', join(directory, 'none.json')]), 2)).toContain(
      '--config: cannot be read',
    )
  })

  it.each([
    [['--prot', '1'], '--prot'],
    [['--actuators', '/nowhere/actuators.js'], '--actuators: /nowhere/actuators.js cannot be loaded'],
    [['--platform'], 'DATABASE_URL'],
    [['--platform', '--tenant-db', 'postgres-data'], 'DATABASE_URL'],
  ])('the flags %j', async (flags, words) => {
    expect(refused(await run(flags), 2)).toContain(words)
  })

  it('a module of actuators that exports none', async () => {
    const path = join(directory, 'empty.mjs')
    await writeFile(path, 'export const actuator = { name: "x" }\n')
    expect(refused(await run(['--actuators', path]), 2)).toContain('exports no actuator')
  })

  it('the environment, every variable at once', async () => {
    const stderr = refused(await run([], { SERVICE_STRICT: 'maybe', DATABASE_URL: 'http://localhost' }), 2)
    expect(stderr).toContain('SERVICE_STRICT: ')
    expect(stderr).toContain('DATABASE_URL: ')
  })

  it('a worker without its database', async () => {
    for (const flags of [[], ['--tenant-db', 'postgres-data']])
      expect(refused(await run(flags, {}, 'worker/bin/worker.js'), 2)).toContain('DATABASE_URL')
  })
})

describe('the address of a server', () => {
  it.each([
    ['DATABASE_URL', 'postgres://gate:s3c/ret@127.0.0.1:1/gate', 2],
    ['REDIS_URL', 'redis://:s3c/ret@127.0.0.1:1', 2],
    ['DATABASE_URL', 'postgres://gate:p@s3c@127.0.0.1:1/gate', 1],
    ['DATABASE_URL', 'postgres://127.0.0.1:1/gate?user=gate&password=s3c', 1],
  ])('%s is told without its password (%#)', async (name, url, code) => {
    const stderr = refused(await run([], { [name]: url }), code)
    expect(stderr).toContain(name)
    expect(stderr).not.toContain('s3c')
  })
})

describe('what is missing ends with exit code 1 and says how to mend it', () => {
  it('a Postgres that nobody listens for', async () => {
    const url = `postgres://user:secret@127.0.0.1:${await freePort()}/gate`
    const stderr = refused(await run([], { DATABASE_URL: url }), 1)
    expect(stderr).toMatch(/Postgres at .*cannot be used/)
    expect(stderr).toContain('Check DATABASE_URL')
    expect(stderr).not.toContain('secret')
  })

  it('a database that is not there', async () => {
    const url = databaseUrl({ ...database, database: 'nowhere' })
    expect(refused(await run([], { DATABASE_URL: url }), 1)).toContain('database "nowhere" does not exist')
  })

  it('a Redis that nobody listens for', async () => {
    const redis = `redis://user:secret@127.0.0.1:${await freePort()}`
    const stderr = refused(await run([], { DATABASE_URL: databaseUrl(database), REDIS_URL: redis }), 1)
    expect(stderr).toMatch(/Redis at .*cannot be used/)
    expect(stderr).toContain('Check REDIS_URL')
    expect(stderr).not.toContain('secret')
  })

  it('a Redis that accepts and never answers, in bounded time', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const redis = `redis://127.0.0.1:${port}`
    const ended = await run([], { DATABASE_URL: databaseUrl(database), REDIS_URL: redis })
    silent.close()
    expect(refused(ended, 1)).toContain('did not answer in time')
  })

  it.each([
    ['api/bin/service.js', 'choose another --port'],
    ['worker/bin/worker.js', 'choose another SERVICE_WORKER_PORT (0: a free one)'],
  ])('a port that another process has, told by %s in one line', async (program, hint) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const port = String((taken.address() as { port: number }).port)
    const environment = {
      DATABASE_URL: databaseUrl(database),
      REDIS_URL: inject('redisUrl'),
      SERVICE_QUEUE_PREFIX: database.database.replaceAll('_', '-'),
      SERVICE_WORKER_PORT: port,
    }
    const ended = await run(['--port', port], environment, program)
    taken.close()
    expect(refused(ended, 1)).toBe(
      `cannot listen on 127.0.0.1:${port}: another process listens there; ${hint}\n`,
    )
  })
})
