import { closeSync, openSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverAccount } from '../../../shared/runtime/embedded-postgres/embedded-postgres-account.ts'
import { spawnGuarded } from '../../../shared/runtime/embedded-postgres/embedded-postgres-guard.ts'
import { fewRowsByIndex } from '../../../shared/store/postgres/open.ts'
import { systemProgram } from '../helper-programs.ts'
import { repositoryRoot } from '../repository-root.ts'
import { aptIn, exists, librariesIn, systemName, unpackArchives, unpackOnce } from './debian-package.ts'
import { freePort } from './redis-program.ts'

const cache = join(repositoryRoot, '.cache', 'pgbouncer')

/** A pooler in front of a PostgreSQL. */
export interface Pooler {
  url: string
  stop(): Promise<void>
}

/**
 * Debian's PgBouncer in front of a database, unpacked into `.cache`. It drops every setting that a connection begins with, as
 * one does that was told to ignore what it does not know.
 */
export async function startPgBouncer(database: {
  host: string
  user: string
  database: string
}): Promise<Pooler> {
  const root = join(cache, await systemName())
  const program = join(root, 'usr', 'sbin', 'pgbouncer')
  if (!(await exists(program))) await unpackOnce(root, unpackPgBouncer, () => exists(program))
  const account = await serverAccount()
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-pooler-'))
  const port = await freePort()
  const settings = join(directory, 'pgbouncer.ini')
  await writeFile(
    settings,
    `[databases]
gate = host=${database.host} port=5432 dbname=${database.database} user=${database.user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = session
ignore_startup_parameters = options, role, search_path, TimeZone, statement_timeout, lock_timeout, idle_in_transaction_session_timeout, standard_conforming_strings, default_transaction_read_only, action_gate.tenants, ${Object.keys(fewRowsByIndex).join(', ')}
`,
  )
  if (account !== null) for (const path of [directory, settings]) await chown(path, account.uid, account.gid)
  const log = openSync(join(directory, 'log'), 'w', 0o644)
  const server = spawnGuarded({
    command: [
      systemProgram('env'),
      `LD_LIBRARY_PATH=${(await librariesIn(root)).join(':')}`,
      program,
      settings,
    ],
    account,
    logDescriptor: log,
    lockDescriptor: null,
    temporaryDirectory: directory,
  })
  return {
    url: `postgres://${database.user}@127.0.0.1:${port}/gate`,
    async stop() {
      await server.stop()
      closeSync(log)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function unpackPgBouncer(work: string, root: string): Promise<void> {
  const apt = await aptIn(work)
  await apt('--yes', '--no-install-recommends', '--download-only', 'install', 'pgbouncer')
  await unpackArchives(work, root)
}
