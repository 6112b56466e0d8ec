import { execFile } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { access, chmod, chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import {
  serverAccount,
  spawnAs,
} from '../../../shared/runtime/embedded-postgres/embedded-postgres-account.ts'
import { spawnGuarded } from '../../../shared/runtime/embedded-postgres/embedded-postgres-guard.ts'
import { systemProgram } from '../helper-programs.ts'
import { eventually } from '../platform/platform-waiting.ts'
import { repositoryRoot } from '../repository-root.ts'
import { aptIn, systemName, unpackArchives, unpackOnce } from './debian-package.ts'
import { freePort } from './redis-program.ts'

const run = promisify(execFile)
const cache = join(repositoryRoot, '.cache', 'postgres')
const wanted = ['initdb', 'postgres', 'psql', 'createdb', 'pg_dump', 'pg_restore']

/** A whole PostgreSQL as distributions ship it, with its clients, on 127.0.0.1 and with passwords. */
export interface PostgresServer {
  /** Where its socket is. */
  directory: string
  port: number
  /** The superuser's way in, past all passwords. */
  sql: postgres.Sql
  /** Runs one of its programs as the superuser; answers what it wrote on standard output. */
  run(program: string, parameters: readonly string[], environment?: Record<string, string>): Promise<string>
  /** Runs a script of the shell that calls them. */
  script(path: string, environment: Record<string, string>): Promise<string>
  stop(): Promise<void>
}

export interface PostgresProgramOptions {
  /** The major version; without it the newest that is installed, or Debian's own. */
  major?: string
  /** On a socket in `directory` alone, and for many connections. */
  socketOnly?: boolean
  /** Speaks TLS with this certificate (PEM). */
  certificate?: { cert: string; key: string }
}

/** Of this machine, else Debian's package unpacked into `.cache`; throws where neither can be had. */
export async function startPostgresServer(options: PostgresProgramOptions = {}): Promise<PostgresServer> {
  const { major, socketOnly = false, certificate } = options
  const bin = (await installed(major)) ?? (await unpacked(major))
  const account = await serverAccount()
  const directory = await mkdtemp(join(tmpdir(), 'action-gate-server-'))
  if (account !== null) await chown(directory, account.uid, account.gid)
  const data = join(directory, 'data')
  const environment = {
    PATH: `${bin}:${process.env.PATH}`,
    LD_LIBRARY_PATH: librariesOf(bin),
    LC_ALL: 'C.UTF-8',
  }
  const initdb = [
    '-D',
    data,
    '--username=postgres',
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    '--no-sync',
  ]
  await run(join(bin, 'initdb'), initdb, { ...spawnAs(account), env: environment, cwd: '/' })
  // On a socket the port is but a part of its name, and clients take this one unless they are told another.
  const port = socketOnly ? 5432 : await freePort()
  const settings = {
    listen_addresses: socketOnly ? '' : '127.0.0.1',
    port,
    unix_socket_directories: directory,
    fsync: 'off',
    ...(certificate ? await tlsSettings(certificate, directory, account) : {}),
    ...(socketOnly ? { max_connections: 300, synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  }
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openSync(join(directory, 'log'), 'w', 0o644)
  const server = spawnGuarded({
    command: [
      systemProgram('env'),
      `LD_LIBRARY_PATH=${librariesOf(bin)}`,
      join(bin, 'postgres'),
      '-D',
      data,
      ...given,
    ],
    account,
    logDescriptor: log,
    lockDescriptor: null,
    temporaryDirectory: directory,
  })
  const sql = postgres({
    host: directory,
    port,
    user: 'postgres',
    database: 'postgres',
    max: 2,
    onnotice: () => {},
  })
  await eventually('PostgreSQL answers', () => sql`select 1`.then(() => true).catch(() => null))
  const clients = { ...environment, PGHOST: directory, PGPORT: String(port), PGUSER: 'postgres' }
  const tell = async (command: string, parameters: readonly string[], more: Record<string, string>) =>
    (await run(command, parameters, { env: { ...clients, ...more }, maxBuffer: 1e8 })).stdout
  return {
    directory,
    port,
    sql,
    run: (program, parameters, more = {}) => tell(join(bin, program), parameters, more),
    script: (path, more) => tell('/bin/sh', [path], more),
    async stop() {
      await sql.end()
      await server.stop()
      closeSync(log)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The server takes a key only from a file that nobody else may read. */
async function tlsSettings(
  { cert, key }: { cert: string; key: string },
  directory: string,
  account: Awaited<ReturnType<typeof serverAccount>>,
) {
  const files = { ssl_cert_file: join(directory, 'server.crt'), ssl_key_file: join(directory, 'server.key') }
  await writeFile(files.ssl_cert_file, cert)
  await writeFile(files.ssl_key_file, key, { mode: 0o600 })
  if (account !== null) await chown(files.ssl_key_file, account.uid, account.gid)
  return { ssl: 'on', ...files }
}

/** Where distributions put all programs of one version together, the newest first. */
async function installed(major: string | undefined): Promise<string | null> {
  const root = '/usr/lib/postgresql'
  const versions = major === undefined ? await readdir(root).catch(() => []) : [major]
  for (const version of versions.sort((one, other) => Number(other) - Number(one))) {
    const bin = join(root, version, 'bin')
    if (await hasAll(bin)) return bin
  }
  return null
}

async function unpacked(major: string | undefined): Promise<string> {
  const name = major === undefined ? 'postgresql' : `postgresql-${major}`
  const root = join(cache, major ?? '', await systemName())
  const isThere = async () => (await binIn(root)) !== null
  if (!(await isThere())) {
    await unpackOnce(root, (work, into) => unpackPostgres(name, work, into), isThere)
    await chmod(root, 0o755)
  }
  const bin = await binIn(root)
  if (bin === null)
    throw new Error(`no PostgreSQL in ${root}: install one with its clients (Debian: ${name})`)
  return bin
}

async function unpackPostgres(name: string, work: string, root: string): Promise<void> {
  const apt = await aptIn(work)
  await apt('--yes', '--no-install-recommends', '--download-only', 'install', name)
  await unpackArchives(work, root)
}

async function binIn(root: string): Promise<string | null> {
  const versions = await readdir(join(root, 'usr/lib/postgresql')).catch(() => [])
  const bin = join(root, 'usr/lib/postgresql', versions[0] ?? '', 'bin')
  return (await hasAll(bin)) ? bin : null
}

async function hasAll(bin: string): Promise<boolean> {
  const found = await Promise.allSettled(wanted.map(name => access(join(bin, name))))
  return found.every(({ status }) => status === 'fulfilled')
}

/** Of an unpacked one: what it needs stands below the same root. */
function librariesOf(bin: string): string {
  const root = bin.split('/usr/lib/postgresql/')[0] ?? ''
  const machine = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
  return root === '' ? '' : ['usr/lib', 'lib'].map(folder => join(root, folder, machine)).join(':')
}
