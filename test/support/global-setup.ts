import { mkdtempSync, rmSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../shared/runtime/embedded-postgres/embedded-postgres.ts'
import { migrateDatabase } from '../../shared/store/postgres/migrate.ts'
import { logsVariable } from './audit/kept-logs.ts'
import { provideRedis } from './servers/redis.ts'

/** Migrated once; every test file gets a copy of it, see freshDatabase. */
export const TEMPLATE = 'template_action_gate'

declare module 'vitest' {
  interface ProvidedContext {
    /** The throw-away server of this run; `host` is its socket directory, `user` may do anything. */
    postgres: { host: string; user: 'postgres'; template: string }
    redisUrl: string
  }
}

/** Starts the servers that the tests need, whatever the machine has, and returns what ends them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [database, redis] = await bothOrNeither(startDatabase(), provideRedis())
  provideServers(project, database.socketDirectory, redis.url)
  process.stderr.write(`servers for the tests: embedded PostgreSQL, Redis (${redis.how})\n`)
  const forget = publishLogs()
  return async () => {
    forget()
    await Promise.all([database.stop(), redis.stop()])
  }
}

export function provideServers(project: TestProject, host: string, redisUrl: string): void {
  project.provide('postgres', { host, user: 'postgres', template: TEMPLATE })
  project.provide('redisUrl', redisUrl)
}

/** Logs of all projects are kept together; whoever began that forgets them. */
export function publishLogs(): () => void {
  if (process.env[logsVariable]) return () => undefined
  const logs = mkdtempSync(join(tmpdir(), 'action-gate-logs-'))
  process.env[logsVariable] = logs
  return () => {
    // Where a secret was found the reporter takes the variable away, and the logs stay to be looked at.
    if (process.env[logsVariable]) rmSync(logs, { recursive: true })
  }
}

const bytesMin = 4 * 2 ** 30

/**
 * Where a file system in memory has room. Files of some hundred databases are made and removed, a thousand for each: a disk
 * takes a tenth of the run for that, and memory nothing.
 */
async function inMemory(): Promise<{ parent?: string }> {
  const parent = '/dev/shm'
  const room = await statfs(parent).catch(() => null)
  return room !== null && room.bavail * room.bsize > bytesMin && freemem() > bytesMin ? { parent } : {}
}

async function startDatabase() {
  const options = { directory: null, durable: false, maxConnections: 300 }
  const server = await startEmbeddedPostgres({ ...options, ...(await inMemory()) })
  try {
    await makeTemplate(server.socketDirectory)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

export async function makeTemplate(host: string): Promise<void> {
  const sql = postgres({ host, user: 'postgres', database: 'postgres', max: 1 })
  try {
    await sql`CREATE DATABASE ${sql(TEMPLATE)}`
    await migrateDatabase({ host, user: 'postgres', database: TEMPLATE })
    // PostgreSQL refuses to copy a database that somebody is connected to.
    await sql`ALTER DATABASE ${sql(TEMPLATE)} WITH ALLOW_CONNECTIONS false`
  } finally {
    await sql.end()
  }
}

type Stoppable = { stop(): Promise<void> }

/** Starts both at once; when one fails, the other does not stay. */
export async function bothOrNeither<A extends Stoppable, B extends Stoppable>(
  starting: Promise<A>,
  alsoStarting: Promise<B>,
): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([starting, alsoStarting])
  if (first.status === 'fulfilled' && second.status === 'fulfilled') return [first.value, second.value]
  for (const started of [first, second]) if (started.status === 'fulfilled') await started.value.stop()
  throw (first.status === 'rejected' ? first : (second as PromiseRejectedResult)).reason
}
