import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { releaseFile } from '../fixtures/ledger-actuator.ts'
import { type LedgerCall, readCalls } from '../fixtures/ledger-actuator-calls.ts'
import { repositoryRoot } from '../repository-root.ts'
import { freshDatabase } from '../servers/database.ts'
import { type Client, createClient, type Keys } from './platform-client.ts'
import { type PlatformProcess, startProcess } from './platform-process.ts'

export interface ApiProcess {
  process: PlatformProcess
  url: string
  client: Client
}

export interface WorkerProcess {
  process: PlatformProcess
  /** As it signs its events. */
  id: string
  /** Of its health server. */
  url: string
}

/** The platform mode on a database of its own: processes that a test starts, kills and looks into. */
export interface Platform {
  /** A superuser's look at the database, past the service. */
  sql: postgres.Sql
  keys: Keys
  /** The process alone, on this port or a free one; it may end by itself. */
  launchApi(port?: number, more?: Readonly<Record<string, string>>, host?: string): PlatformProcess
  /** Ready to answer; the first one also makes the keys. */
  startApi(more?: Readonly<Record<string, string>>): Promise<ApiProcess>
  /** The process alone, which may end by itself. */
  launchWorker(more?: Readonly<Record<string, string>>): PlatformProcess
  /** Ready to work. */
  startWorker(more?: Readonly<Record<string, string>>): Promise<WorkerProcess>
  /** What the actuators of all workers have done so far. */
  ledger(): LedgerCall[]
  /** Let the calls that wait for this name go on. */
  release(name: string): Promise<void>
  output(): string
  /** Ends every process that is left and removes the database. */
  stop(): Promise<void>
}

export const tenant = 'platform'
export const policy = {
  allowed_systems: ['mock_crm', 'ledger_keyed', 'ledger_plain', 'ledger_looked'],
  allowed_operations: {
    mock_crm: ['write', 'refund'],
    ledger_keyed: ['write'],
    ledger_plain: ['write'],
    ledger_looked: ['write'],
  },
  parameter_constraints: { mock_crm: { refund: { amount: { min: 0, max: 100 } } } },
  approval_required_at: 'high',
  review_route: 'operations',
}

const configuration = {
  tenants: [
    {
      tenant_id: tenant,
      policy,
      mock_actuators: ['mock_crm'],
      actuators: [
        { name: 'ledger_keyed', kind: 'module' },
        { name: 'ledger_plain', kind: 'module' },
        { name: 'ledger_looked', kind: 'module' },
      ],
    },
  ],
}
const actuatorModule = join(repositoryRoot, 'dist/test/support/fixtures/ledger-actuator.js')

/** `environment` is that of every process, beside what the platform itself needs; `server` is that of the run without it. */
export async function startPlatform(
  redisUrl: string,
  environment: Readonly<Record<string, string>>,
  server?: Parameters<typeof freshDatabase>[0],
): Promise<Platform> {
  const database = await freshDatabase(server)
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-platform-'))
  const config = join(directory, 'config.json')
  await writeFile(config, JSON.stringify(configuration))
  const ledgerFile = join(directory, 'ledger')
  const { host, superuser, database: name } = database
  const sql = postgres({ host, user: superuser, database: name, max: 2 })
  const started: PlatformProcess[] = []
  const keys: Keys = { admin: '', agent: '', approver: '' }
  const variables = {
    DATABASE_URL: `postgres://${superuser}@/${name}?host=${encodeURIComponent(host)}`,
    REDIS_URL: redisUrl,
    SERVICE_QUEUE_PREFIX: `test-${randomBytes(6).toString('hex')}`,
    SERVICE_RATE_LIMIT: '1000000',
    SERVICE_AUTH_FAILURE_LIMIT: '1000000',
    SERVICE_WORKER_PORT: '0',
    LEDGER_FILE: ledgerFile,
    ...environment,
  }
  const start = (
    program: string,
    file: string,
    flags: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): PlatformProcess => {
    const child = startProcess({
      name: `${program} ${started.length + 1}`,
      file,
      flags,
      environment: { ...variables, ...more },
    })
    started.push(child)
    return child
  }
  const launchWorker = (more?: Readonly<Record<string, string>>) =>
    start('worker', 'worker/bin/worker.js', ['--actuators', actuatorModule], more)
  const launchApi = (port = 0, more?: Readonly<Record<string, string>>, host = '127.0.0.1') => {
    const flags = ['--platform', '--host', host, '--port', `${port}`, '--config', config]
    return start('api', 'api/bin/service.js', [...flags, '--bootstrap-admin-key-name', 'test'], more)
  }
  // No process outlives the run, not even where a test file ends without its hooks.
  const killAll = () => {
    for (const child of started) child.signal('SIGKILL')
  }
  process.once('exit', killAll)

  return {
    sql,
    keys,
    launchApi,
    async startApi(more) {
      const api = launchApi(0, more)
      const url = await urlIn(api, 'listening', 'url')
      if (keys.admin === '') Object.assign(keys, await makeKeys(api, url))
      return { process: api, url, client: createClient(url, tenant, keys) }
    },
    launchWorker,
    async startWorker(more) {
      const worker = launchWorker(more)
      const url = await urlIn(worker, 'worker started', 'health')
      const [line] = await worker.logged('worker started')
      return { process: worker, id: String(line?.worker), url }
    },
    ledger: () => readCalls(ledgerFile),
    release: awaited => writeFile(releaseFile(ledgerFile, awaited), ''),
    output: () => started.map(child => child.output()).join('\n'),
    async stop() {
      killAll()
      process.removeListener('exit', killAll)
      await Promise.all(started.map(({ exited }) => exited))
      await sql.end()
      await database.drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function urlIn(child: PlatformProcess, message: string, field: string): Promise<string> {
  const [line] = await child.logged(message)
  return String(line?.[field])
}

/** The keys of the tenant are minted with the one that the start shows. */
async function makeKeys(api: PlatformProcess, url: string): Promise<Keys> {
  const admin = await api.printed(/^admin api key \(shown once\): (\S+)$/m)
  const { mintKey } = createClient(url, tenant, { admin, agent: '', approver: '' })
  const [agent, approver] = await Promise.all([mintKey('agent'), mintKey('approver')])
  return { admin, agent: agent.body.api_key, approver: approver.body.api_key }
}
