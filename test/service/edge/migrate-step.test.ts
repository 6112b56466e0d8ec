import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { type PlatformProcess, startProcess } from '../../support/platform/platform-process.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import type { FreshDatabase } from '../../support/servers/database.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { databaseUrl } from '../../support/service/service.ts'

const { host, user } = inject('postgres')
const place = { host, superuser: user, runtimeUser: 'action_gate_runtime' } as const
const administration = { ...place, database: 'postgres', drop: async () => undefined }
const journal = readFileSync(join(repositoryRoot, 'drizzle/meta/_journal.json'), 'utf8')
const steps = (JSON.parse(journal) as { entries: { tag: string }[] }).entries.map(({ tag }) => tag)
let database: FreshDatabase
let started: PlatformProcess[]

/** A database that nobody migrated. */
beforeEach(async () => {
  const name = `step_${randomBytes(6).toString('hex')}`
  started = []
  await asSuperuser(administration, `create database ${name}`)
  const drop = async () => void (await asSuperuser(administration, `drop database ${name} with (force)`))
  database = { ...place, database: name, drop }
})

afterEach(async () => {
  for (const child of started) child.signal('SIGKILL')
  await Promise.all(started.map(({ exited }) => exited))
  await database.drop()
})

/** Processes know the runtime role alone, which owns nothing; the step knows the owner. */
const runtimeUrl = () => databaseUrl(database).replace(`//${user}@`, '//action_gate_runtime@')

function environment(more: Record<string, string> = {}): Record<string, string> {
  return {
    DATABASE_URL: runtimeUrl(),
    SERVICE_MIGRATE: 'check',
    SERVICE_QUEUE_PREFIX: database.database.replaceAll('_', '-'),
    SERVICE_WORKER_PORT: '0',
    ...more,
  }
}

function run(
  file: string,
  flags: string[],
  more: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, ...environment(more) }
  const program = [join(repositoryRoot, 'dist', file), ...flags]
  return new Promise(resolve => {
    execFile(process.execPath, program, { env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    )
  })
}

const api = 'api/bin/service.js'
const worker = 'worker/bin/worker.js'
const migrate = (more: Record<string, string> = {}) =>
  run(api, ['migrate'], { DATABASE_OWNER_URL: databaseUrl(database), ...more })

function start(file: string, flags: string[], more: Record<string, string> = {}): PlatformProcess {
  const child = startProcess({ name: file, file, flags, environment: environment(more) })
  started.push(child)
  return child
}

describe('SERVICE_MIGRATE=check', () => {
  it('stops API and worker on a database without a schema, and says what to do', async () => {
    for (const file of [api, worker]) {
      const { code, stderr } = await run(file, file === api ? ['--platform', '--port', '0'] : [], {
        REDIS_URL: inject('redisUrl'),
      })
      expect(code).toBe(1)
      expect(stderr).toContain(`lacks ${steps.join(', ')}; run "service migrate" first`)
    }
    const schemas = await asSuperuser(database, `select from pg_namespace where nspname = 'action_gate'`)
    expect(schemas).toEqual([])
  })

  it('names what an older database lacks, and takes one that is newer', async () => {
    expect((await migrate({ REDIS_URL: inject('redisUrl') })).code).toBe(0)
    const [newest] = await asSuperuser<{ hash: string; created_at: string }>(
      database,
      `delete from action_gate.__drizzle_migrations
       where id = (select max(id) from action_gate.__drizzle_migrations) returning hash, created_at::text`,
    )
    const { code, stderr } = await run(worker, [], { REDIS_URL: inject('redisUrl') })
    expect(code).toBe(1)
    expect(stderr).toContain(`it lacks ${steps.at(-1)}; run "service migrate" first`)
    expect(stderr).not.toContain('Check DATABASE_URL')
    await asSuperuser(
      database,
      `insert into action_gate.__drizzle_migrations (hash, created_at)
       values ('${newest?.hash}', ${newest?.created_at}), ('later', ${newest?.created_at} + 1000000)`,
    )
    const later = start(worker, [], { REDIS_URL: inject('redisUrl') })
    await later.logged('worker started')
    expect(
      await later.logged('the schema is newer than this program, which goes on with it: replace it'),
    ).toEqual([expect.objectContaining({ migrations: 1 })])
  })
})

describe('service migrate', () => {
  it.each(['redis', 'postgres'])(
    'prepares a database for processes that may change no schema, queue in %s',
    async kind => {
      const more: Record<string, string> = kind === 'redis' ? { REDIS_URL: inject('redisUrl') } : {}
      expect(await migrate(more)).toMatchObject({ code: 0, stderr: expect.stringContaining('"databases":1') })
      expect((await migrate(more)).code).toBe(0)
      const gate = start(api, ['--platform', '--port', '0'], more)
      const [line] = await gate.logged('listening')
      const key = { SERVICE_WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64') }
      for (const [given, sends_messages] of [
        [{}, false],
        [key, true],
      ] as const) {
        const [begun] = await start(worker, [], { ...more, ...given }).logged('worker started')
        expect(begun).toMatchObject({ sends_messages })
      }
      const ready = await fetch(`${line?.url}/v1/ready`)
      expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready' }])
    },
  )

  const rows = 'action_gate.__drizzle_migrations'
  it.each([
    [
      'whose migration fails',
      `delete from ${rows} where created_at = (select max(created_at) from ${rows}); drop table action_gate.password_resets`,
      `${steps.at(-1)} could not be applied, and nothing was changed: relation "action_gate.password_resets" does not exist`,
    ],
    [
      'with a baseline that was made again',
      `update ${rows} set hash = 'another' where id = 2`,
      `its schema was made by other migrations than those of this program: ${steps[1]} has other SQL.`,
    ],
    [
      'with a foreign migration',
      `insert into ${rows} (hash, created_at) values ('foreign', 1700000000000)`,
      'its schema was made by other migrations than those of this program: one of 2023-11-14T22:13:20.000Z is unknown here.',
    ],
    [
      'that lacks one in the middle',
      `delete from ${rows} where id = 2`,
      `its schema was made by other migrations than those of this program: ${steps[1]} was left out.`,
    ],
  ])('says in a sentence what is wrong with one %s', async (_, made, said) => {
    const more = { REDIS_URL: inject('redisUrl') }
    expect((await migrate(more)).code).toBe(0)
    await asSuperuser(database, made)
    const { code, stderr } = await migrate(more)
    expect([code, stderr]).toEqual([1, expect.stringContaining(said)])
    expect(stderr).not.toMatch(/Check DATABASE_URL|create function|--> statement/i)
    expect(stderr.length).toBeLessThan(500)
  })

  it('is nothing for an embedded database, nor for the worker program', async () => {
    const none = await run(api, ['migrate'], { DATABASE_URL: '' })
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('DATABASE_URL') })
    expect(await run(worker, ['migrate'])).toMatchObject({ code: 2 })
  })
})

describe('service bootstrap', () => {
  it('makes the first key beside a running API, prints it alone and ends', async () => {
    const more = { REDIS_URL: inject('redisUrl') }
    expect((await migrate(more)).code).toBe(0)
    const gate = start(api, ['--platform', '--port', '0'], more)
    const [line] = await gate.logged('listening')
    const bootstrap = (name: string) => run(api, ['--platform', 'bootstrap', name], more)
    const first = await bootstrap('ops')
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^admin api key .*: adk_\S+\n$/) })
    const headers = { 'x-service-admin-key': first.stdout.trim().split(': ')[1] ?? '' }
    expect((await fetch(`${line?.url}/v1/tenants`, { headers })).status).toBe(200)
    const second = await bootstrap('ops')
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toContain('ops: an admin key of this name works already: no second one was made')
    expect(await bootstrap('others')).toMatchObject({ code: 0 })
  })

  it('makes no key that would go with the process', async () => {
    const none = await run(api, ['bootstrap', 'ops'], { DATABASE_URL: '' })
    expect(none).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--tenant-db') })
  })
})
