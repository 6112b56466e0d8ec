import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../shared/runtime/embedded-postgres/embedded-postgres.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { provideRedis } from '../../support/servers/redis.ts'
import { note } from '../figure.ts'
import { operationName, sampleActuators, samplePolicy, sampleProposal } from './sample.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

/** Servers of the platform mode for one group of figures: a durable Postgres and a Redis. */
export interface Platform {
  directory: string
  redisUrl: string
  postgres: EmbeddedPostgres
  /** A connection as superuser to the database of the service. */
  sql: postgres.Sql
  /** Of another build than this one, where its root is given. */
  startApi(root?: string): Promise<RunningApi>
  startWorker(environment?: Record<string, string>): Promise<RunningProcess>
  stop(): Promise<void>
}

export interface RunningProcess {
  /** CPU seconds used so far and resident bytes, as the process tells in its metrics. */
  usage(): Promise<{ cpuSeconds: number; residentBytes: number }>
  stop(): Promise<void>
}

export interface RunningApi extends RunningProcess {
  url: string
  adminKey: string
  /** Of an agent of tenant `bench`. */
  headers: Record<string, string>
}

const database = 'bench'

export async function startPlatform(): Promise<Platform> {
  const opened: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const end of opened.splice(0).reverse()) await end()
  }
  try {
    const directory = await mkdtemp(join(tmpdir(), 'action-gate-bench-'))
    opened.push(() => rm(directory, { recursive: true, force: true }))
    const redis = await provideRedis()
    opened.push(redis.stop)
    const server = await startEmbeddedPostgres({ directory: null, durable: true })
    opened.push(server.stop)
    note(`servers: embedded PostgreSQL with fsync, Redis (${redis.how})`)
    const sql = await openDatabase(server)
    opened.push(() => sql.end())
    const parts = { directory, redisUrl: redis.url, postgres: server, sql }
    const start = async <Running extends RunningProcess>(starting: Promise<Running>): Promise<Running> => {
      const running = await starting
      opened.push(running.stop)
      return running
    }
    return {
      ...parts,
      startApi: root => start(startApi(parts, root)),
      startWorker: (environment = {}) => start(startWorker(parts, environment)),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function openDatabase(server: EmbeddedPostgres): Promise<postgres.Sql> {
  const login = { host: server.socketDirectory, user: server.superuser, onnotice: () => undefined }
  const administration = postgres({ ...login, database: 'postgres', max: 1 })
  try {
    await administration.unsafe(`create database ${database}`)
  } finally {
    await administration.end()
  }
  return postgres({ ...login, database, max: 2 })
}

type Parts = Pick<Platform, 'directory' | 'redisUrl' | 'postgres' | 'sql'>

/** The API process of the platform mode with a tenant, its key and no limit that the load would meet. */
async function startApi(parts: Parts, root?: string): Promise<RunningApi> {
  // A name makes a key once: each start has its own.
  const flags = ['--platform', '--port', '0', '--bootstrap-admin-key-name', `bench ${randomUUID()}`]
  const process = await start(parts, 'api/bin/service.js', flags, root)
  const url = await process.written(/"url":"([^"]+)"/)
  const adminKey = await process.written(/admin api key \(shown once\): (\S+)/)
  const key = await agentKey(url, adminKey)
  return {
    url,
    adminKey,
    headers: { authorization: `Bearer ${key}` },
    usage: () => readUsage(url),
    stop: process.stop,
  }
}

async function startWorker(parts: Parts, environment: Record<string, string>): Promise<RunningProcess> {
  const process = await start({ ...parts, environment }, 'worker/bin/worker.js', [])
  const url = await process.written(/"health":"([^"]+)"/)
  return { usage: () => readUsage(url), stop: process.stop }
}

function start(
  parts: Parts & { environment?: Record<string, string> },
  program: string,
  flags: readonly string[],
  root = repositoryRoot,
): Promise<ServiceProcess> {
  const environment = { ...platformEnvironment(parts), SERVICE_WORKER_PORT: '0', ...parts.environment }
  return startServiceProcess({ root, program, flags, environment, directory: parts.directory })
}

/** Where its processes find database and queue, and no limit that the load would meet. */
export function platformEnvironment({
  postgres: { socketDirectory, superuser },
  redisUrl,
}: Pick<Platform, 'postgres' | 'redisUrl'>): Record<string, string> {
  return {
    DATABASE_URL: `postgres://${superuser}@localhost/${database}?host=${encodeURIComponent(socketDirectory)}`,
    REDIS_URL: redisUrl,
    SERVICE_RATE_LIMIT: '1000000000',
    SERVICE_BODY_LIMIT: '4m',
  }
}

/** Makes tenant `bench`; an API that is started again gets a further key of it. */
async function agentKey(url: string, adminKey: string): Promise<string> {
  const mock_actuators = sampleActuators.map(({ name }) => name)
  const tenant = { tenant_id: 'bench', policy: samplePolicy(10), mock_actuators }
  const made = await send({ url, adminKey }, 'POST', '/v1/tenants', tenant)
  const further = () => send({ url, adminKey }, 'POST', '/v1/tenants/bench/api-keys', { name: 'bench' })
  return (await read<{ api_key: string }>(made.status === 409 ? await further() : made)).api_key
}

type Admin = Pick<RunningApi, 'url' | 'adminKey'>

/** What an administrator is answered about tenant `bench`; rejects unless it is a success. */
export async function asAdmin<Body>(
  api: Admin,
  method: 'POST' | 'PUT',
  path: string,
  body: object,
): Promise<Body> {
  return read<Body>(await send(api, method, `/v1/tenants/bench${path}`, body))
}

function send({ url, adminKey }: Admin, method: string, path: string, body: object): Promise<Response> {
  const headers = { 'x-service-admin-key': adminKey, 'content-type': 'application/json' }
  return fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
}

async function read<Body>(answer: Response): Promise<Body> {
  if (!answer.ok)
    throw new Error(`the benchmark was answered ${answer.status} by ${answer.url}: ${await answer.text()}`)
  return (await answer.json()) as Body
}

/** A further key of tenant `bench`, with the role of an approver. */
export async function approverKey(api: Admin): Promise<{ api_key: string; key: { key_id: string } }> {
  return asAdmin(api, 'POST', '/api-keys', { name: 'lead', scope: 'approver' })
}

async function readUsage(url: string): Promise<{ cpuSeconds: number; residentBytes: number }> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const metric = (name: string): number => {
    const value = new RegExp(`^action_gate_${name} (\\S+)`, 'm').exec(text)?.[1]
    if (value === undefined) throw new Error(`${url}/metrics has no action_gate_${name}`)
    return Number(value)
  }
  return {
    cpuSeconds: metric('process_cpu_seconds_total'),
    residentBytes: metric('process_resident_memory_bytes'),
  }
}

/** The sample proposal in two parts, between which its id goes; of a high risk it is held. */
export function proposalParts(level: 'low' | 'high' = 'low'): [before: string, after: string] {
  const mark = 'id-goes-here'
  const proposal = sampleProposal(mark, operationName(3))
  const text = JSON.stringify({ ...proposal, risk: { ...proposal.risk, level } })
  const [before = '', after = ''] = text.split(mark)
  return [before, after]
}
