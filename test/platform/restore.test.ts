import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { formatVkey } from '../../shared/audit/note/verifier-key.ts'
import type { AuditExport } from '../../shared/contract/action/action.ts'
import { testVerifierKey } from '../support/audit/signing-key.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { type PostgresServer, startPostgresServer } from '../support/servers/postgres-program.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { proposal, type TestTenant } from '../support/service/tenant.ts'

/** The page on backup and restore, done with the programs that it names and the logins of the Compose file. */

let server: PostgresServer
let directory: string
let before: TestService
let tenant: TestTenant
let dump: string

type Login = 'gate_migrate' | 'action_gate_runtime'
const url = (login: Login, database: string) =>
  `postgres://${login}:${login}-password@127.0.0.1:${server.port}/${database}`

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'action-gate-restore-'))
  server = await startPostgresServer()
  await server.sql`create database gate`
  await makeLogins('gate')
  dump = join(directory, 'gate.dump')
  expect(await migrate('gate')).toMatchObject({ code: 0 })
  before = await start('gate', 'signed-logs')
  tenant = await before.tenant({ issued: true })
}, 120_000)

afterAll(async () => {
  await before.close()
  await server.stop()
  rmSync(directory, { recursive: true })
})

/** As the container of Postgres does at its first start. */
async function makeLogins(database: string): Promise<void> {
  const secrets = join(directory, 'secrets')
  mkdirSync(secrets)
  writeFileSync(join(secrets, 'database_owner_url'), url('gate_migrate', database))
  writeFileSync(join(secrets, 'database_url'), url('action_gate_runtime', database))
  await server.script(join(repositoryRoot, 'api/deploy/postgres-logins.sh'), {
    POSTGRES_USER: 'postgres',
    POSTGRES_DB: database,
    SECRETS: secrets,
  })
}

function start(database: string, signedLogs: string): Promise<TestService> {
  return startService({
    platform: true,
    database: {
      host: '',
      database,
      superuser: 'postgres',
      runtimeUser: 'action_gate_runtime',
      drop: async () => undefined,
    },
    databaseUrl: url('action_gate_runtime', database),
    env: { SERVICE_MIGRATE: 'check', SERVICE_SIGNED_LOGS_FILE: join(directory, signedLogs) },
  })
}

async function executed(service: TestService): Promise<string> {
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: tenant.agent,
    json: proposal(),
  })
  await service.call('GET', `/v1/actions/${body.action_id}?wait=20`, { key: tenant.agent })
  return body.action_id
}

async function exported(service: TestService, id: string): Promise<AuditExport> {
  return (await service.call<AuditExport>('GET', `/v1/actions/${id}/audit-export`, { key: tenant.agent }))
    .body
}

async function logged(service: TestService): Promise<string> {
  const id = await executed(service)
  await expect
    .poll(async () => (await exported(service, id)).log, { timeout: 15_000 })
    .toHaveProperty('checkpoint')
  return id
}

/** `service-audit-verify --database`, as the page says. */
function verify(database: string): Promise<Ended> {
  const key = join(directory, 'key')
  writeFileSync(key, formatVkey(testVerifierKey()))
  const flags = ['--database', url('gate_migrate', database), '--key', key]
  return run('dist/api/bin/service-audit-verify.js', flags, {})
}

/** `service migrate`, as the page says. */
function migrate(database: string): Promise<Ended> {
  return run('dist/api/bin/service.js', ['migrate'], {
    DATABASE_URL: url('action_gate_runtime', database),
    DATABASE_OWNER_URL: url('gate_migrate', database),
    REDIS_URL: inject('redisUrl'),
  })
}

interface Ended {
  code: number
  text: string
}

function run(program: string, flags: string[], environment: Record<string, string>): Promise<Ended> {
  const env = { PATH: process.env.PATH, ...environment }
  return new Promise(resolve => {
    execFile(process.execPath, [join(repositoryRoot, program), ...flags], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
    )
  })
}

/** Roles are of the server and not of the dump; owner and rights of a database are not in it either. */
async function restore(database: string): Promise<void> {
  await server.run('createdb', ['--owner', 'gate_migrate', database])
  await psql(
    database,
    `revoke all on database ${database} from public; grant connect on database ${database} to action_gate_runtime`,
  )
  const into = ['--dbname', database, '--exit-on-error', '--single-transaction']
  await server.run('pg_restore', [...into, dump])
}

function psql(database: string, statement: string): Promise<string> {
  return server.run('psql', [database, '-Atc', statement])
}

/** Owners and rights of the database, its schemas and its tables. */
function rights(database: string): Promise<string> {
  return psql(
    database,
    `select '', datacl, datdba::regrole, false from pg_database where datname = current_database()
     union all select nspname, nspacl, nspowner::regrole, false from pg_namespace where nspname !~ '^pg_'
     union all select relname, relacl, relowner::regrole, relrowsecurity from pg_class
       where relnamespace = 'action_gate'::regnamespace
     order by 1`,
  )
}

it('a dump under load is whole: it restores, and every stream and log of it verifies', async () => {
  const kept = await logged(before)
  let on = true
  const load = (async () => {
    while (on) await executed(before)
  })()
  await server.run('pg_dump', ['--format=custom', '--file', dump, url('gate_migrate', 'gate')])
  on = false
  await load
  await restore('restored')
  const { code, text } = await verify('restored')
  expect(text).not.toContain('DIFFERS')
  expect([0, 3]).toContain(code)
  const restored = await psql(
    'restored',
    `select status from action_gate.actions where action_id = '${kept}'`,
  )
  expect(restored.trim()).toBe('executed')
  expect(await migrate('restored')).toMatchObject({ code: 0 })
  expect(await rights('restored')).toBe(await rights('gate'))
}, 120_000)

it('a database that its owner was not given to says so', async () => {
  await server.run('createdb', ['nobodys'])
  const { code, text } = await migrate('nobodys')
  expect({ code, text }).toEqual({
    code: 1,
    text: expect.stringContaining('gate_migrate does not own the database nobodys'),
  })
}, 120_000)

it('a service sees the loss by the file of signed sizes, and does not sign that log', async () => {
  const lost = await logged(before)
  const after = await start('restored', 'signed-logs')
  try {
    const id = await executed(after)
    await expect
      .poll(() => after.logged(), { timeout: 15_000 })
      .toMatch(/log rolled back: nothing more of it is signed/)
    expect((await exported(after, id)).log).toEqual({ pending: true })
    expect((await after.call('GET', '/metrics')).text).toContain('action_gate_log_rollbacks_total 1')
    expect((await after.call('GET', `/v1/actions/${lost}`, { key: tenant.agent })).status).toBe(404)
  } finally {
    await after.close()
  }
}, 120_000)

it('with the file moved away the log is signed again and verifies', async () => {
  expect(readFileSync(join(directory, 'signed-logs'), 'utf8')).not.toBe('')
  const after = await start('restored', 'signed-logs-of-the-restored')
  try {
    await logged(after)
  } finally {
    await after.close()
  }
  expect(await verify('restored')).toMatchObject({ code: 0, text: expect.stringMatching(/^verified/) })
}, 120_000)
