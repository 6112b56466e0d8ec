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

/** Where Debian's PgBouncer is unpacked; null where it cannot be had, which is said on standard error. */
export async function findPgBouncer(): Promise<string | null> {
  try {
    const root = join(cache, await systemName())
    const isThere = () => exists(programIn(root))
    if (!(await isThere())) await unpackOnce(root, unpackPgBouncer, isThere)
    return root
  } catch (error) {
    process.stderr.write(`NOT TESTED WITH PGBOUNCER: Debian's package: ${error}\n`)
    return null
  }
}

const programIn = (root: string): string => join(root, 'usr', 'sbin', 'pgbouncer')

/**
 * In front of a database. It drops every setting that a connection begins with, as one does that was told to ignore what it
 * does not know.
 */
export async function startPgBouncer(
  root: string,
  database: { host: string; user: string; database: string },
): Promise<Pooler> {
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
      programIn(root),
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
