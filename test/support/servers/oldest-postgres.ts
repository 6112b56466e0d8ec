import type { TestProject } from 'vitest/node'
import { bothOrNeither, makeTemplate, provideServers, publishLogs } from '../global-setup.ts'
import { type PostgresServer, startPostgresServer } from './postgres-program.ts'
import { provideRedis } from './redis.ts'

/** The oldest PostgreSQL that api/docs/deploy.md promises. */
export const oldestMajor = '15'

declare module 'vitest' {
  interface ProvidedContext {
    /** The tests of this project have no server to run on: each is skipped. */
    serverMissing: boolean
  }
}

/**
 * Servers for the tests that run on the oldest PostgreSQL too: that of the machine, else Debian's package, fetched and
 * unpacked into `.cache`. Where neither can be had one line says so, and the tests are skipped; in CI that is an error.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const database = await startOldest()
  project.provide('serverMissing', database === null)
  if (database === null) {
    provideServers(project, '', '')
    return async () => undefined
  }
  const [server, redis] = await bothOrNeither(withTemplate(database), provideRedis())
  provideServers(project, server.directory, redis.url)
  process.stderr.write(
    `servers for the tests of old servers: PostgreSQL ${oldestMajor}, Redis (${redis.how})\n`,
  )
  const forget = publishLogs()
  return async () => {
    forget()
    await Promise.all([server.stop(), redis.stop()])
  }
}

async function startOldest(): Promise<PostgresServer | null> {
  try {
    return await startPostgresServer({ major: oldestMajor, socketOnly: true })
  } catch (error) {
    if (process.env.CI) throw error
    const reason = String(error instanceof Error ? error.message : error)
      .trim()
      .split('\n')
      .at(-1)
    process.stderr.write(
      `the tests on PostgreSQL ${oldestMajor} are skipped, for there is none here: ${reason}\n`,
    )
    return null
  }
}

async function withTemplate(server: PostgresServer): Promise<PostgresServer> {
  try {
    await makeTemplate(server.directory)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}
