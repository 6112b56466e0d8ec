import postgres from 'postgres'
import { startEmbeddedPostgres } from '../../shared/runtime/embedded-postgres/embedded-postgres.ts'
import { type PlatformProcess, startProcess } from '../support/platform/platform-process.ts'
import { startRedisServer } from '../support/servers/redis.ts'

/** The servers and processes of a soak; API and worker are those that a user starts, with their settings. */
export interface World {
  /** As superuser, past the service. */
  sql: postgres.Sql
  redisUrl: string
  /** By their names in the figures. */
  processes: ReadonlyMap<'api' | 'worker', Watched>
  tenants: readonly Tenant[]
  stop(): Promise<void>
}

export interface Watched {
  pid: number
  /** Where it serves `/metrics`. */
  url: string
  process: PlatformProcess
}

export interface Tenant {
  id: string
  agent: string
  approver: string
}

const database = 'soak'

/** What a soak sets: no limit that its one address would meet, and an end of what is held within it. */
const environment = {
  SERVICE_RATE_LIMIT: '1000000000',
  SERVICE_LOGIN_LIMIT: '1000000',
  SERVICE_LOGIN_ACCOUNT_LIMIT: '1000000',
  SERVICE_HOSTED_ACCOUNTS: 'true',
  SERVICE_APPROVAL_TTL_MS: '20000',
  SERVICE_EXECUTE_WITHIN_MS: '5000',
  SERVICE_WORKER_PORT: '0',
}

const actuators = [
  { name: 'prompt', kind: 'mock', settings: {} },
  { name: 'slow', kind: 'mock', settings: { delay_ms: 700 } },
  { name: 'ill', kind: 'mock', settings: { outcome: 'failed' } },
  { name: 'busy', kind: 'mock', settings: { outcome: 'retry' } },
]

const policy = {
  allowed_systems: actuators.map(({ name }) => name),
  parameter_constraints: Object.fromEntries(
    actuators.map(({ name }) => [name, { write: { amount: { min: 0, max: 100 } } }]),
  ),
  approval_required_at: 'high',
  review_route: 'leads',
}

export async function openWorld(): Promise<World> {
  const opened: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const end of opened.splice(0).reverse()) await end()
  }
  process.once('exit', () => void stop()) // signals go out before the first wait
  try {
    const redis = await startRedisServer()
    opened.push(redis.stop)
    const server = await startEmbeddedPostgres({ directory: null, durable: true })
    opened.push(server.stop)
    const login = { host: server.socketDirectory, user: server.superuser, onnotice: () => undefined }
    const administration = postgres({ ...login, database: 'postgres', max: 1 })
    await administration.unsafe(`create database ${database}`)
    await administration.end()
    const sql = postgres({ ...login, database, max: 1 })
    opened.push(() => sql.end())
    const host = encodeURIComponent(server.socketDirectory)
    const where = {
      DATABASE_URL: `postgres://${server.superuser}@localhost/${database}?host=${host}`,
      REDIS_URL: redis.url,
    }
    const begin = (name: string, file: string, flags: string[]): PlatformProcess => {
      const started = startProcess({ name, file, flags, environment: { ...environment, ...where } })
      opened.push(() => end(started))
      return started
    }
    const flags = ['--platform', '--port', '0', '--bootstrap-admin-key-name', 'soak']
    const api = await ready(begin('api', 'api/bin/service.js', flags), 'listening', 'url')
    const worker = await ready(begin('worker', 'worker/bin/worker.js', []), 'worker started', 'health')
    const admin = await api.process.printed(/^admin api key \(shown once\): (\S+)$/m)
    const tenants: Tenant[] = []
    for (const id of ['north', 'south']) tenants.push(await makeTenant(api.url, admin, id))
    const processes = new Map([['api', api] as const, ['worker', worker] as const])
    return { sql, redisUrl: redis.url, processes, tenants, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function ready(process: PlatformProcess, message: string, field: string): Promise<Watched> {
  const [line] = await process.logged(message)
  return { process, pid: process.pid, url: String(line?.[field]) }
}

async function end(process: PlatformProcess): Promise<void> {
  process.signal('SIGTERM')
  await process.exited
}

async function makeTenant(url: string, admin: string, id: string): Promise<Tenant> {
  const send = async (method: string, path: string, body: object): Promise<{ api_key: string }> => {
    const headers = { 'x-service-admin-key': admin, 'content-type': 'application/json' }
    const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { api_key: string }
  }
  const { api_key: agent } = await send('POST', '/v1/tenants', { tenant_id: id, policy })
  await send('PUT', `/v1/tenants/${id}/actuators`, { actuators })
  const lead = { name: 'lead', scope: 'approver' }
  const { api_key: approver } = await send('POST', `/v1/tenants/${id}/api-keys`, lead)
  return { id, agent, approver }
}
