import { execFile } from 'node:child_process'
import { access, chmod, lstat, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { EmbeddedPostgresError } from '../outage.ts'
import { type ServerAccount, spawnAs } from './embedded-postgres-account.ts'

const run = promisify(execFile)

/**
 * Returns the directory of the `postgres` and `initdb` programs, which the account can run. Each version of the
 * npm package is copied once into a cache, for three reasons. The account may not be able to enter node_modules.
 * The package lacks its shared-library links if install scripts are off. A later `npm ci` must not delete files of
 * a running server.
 */
export async function embeddedPostgresBinaries(account: ServerAccount | null): Promise<string> {
  const source = await findPackage()
  const cache = await openCache()
  const installed = join(cache, `postgres-${source.version}-${source.platform}`)
  if (!(await exists(join(installed, 'bin', 'postgres')))) await install(source, installed, account)
  return join(installed, 'bin')
}

interface PackageSource {
  platform: string
  version: string
  root: string
}

async function findPackage(): Promise<PackageSource> {
  const platform = `${process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)))
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    return { platform, version, root }
  } catch (cause) {
    const message =
      `There is no embedded PostgreSQL for this machine (${platform}): the optional package ${name} is not installed. ` +
      'Run "npm ci" without --omit=optional, or set DATABASE_URL to a PostgreSQL server.'
    throw new EmbeddedPostgresError('unsupported_platform', message, { cause })
  }
}

/**
 * Returns the first cache directory that only this account can write to, so that no other user can plant programs.
 */
async function openCache(): Promise<string> {
  const uid = process.getuid?.() ?? -1
  const caches = process.platform === 'darwin' ? join('Library', 'Caches') : '.cache'
  const system = process.platform === 'darwin' ? '/Library/Caches' : '/var/cache'
  const candidates = [
    join(uid === 0 ? system : join(homedir(), caches), 'action-gate'),
    join(tmpdir(), `action-gate-cache-${uid}`),
  ]
  for (const candidate of candidates) if (await isOwnDirectory(candidate, uid)) return candidate
  const message = `None of ${candidates.join(', ')} can be used for PostgreSQL's programs: make one of them a directory that belongs to the account the service runs under (mode 0755), or set DATABASE_URL.`
  throw new EmbeddedPostgresError('start_failed', message)
}

async function isOwnDirectory(directory: string, uid: number): Promise<boolean> {
  try {
    const made = await mkdir(directory, { recursive: true })
    if (made !== undefined) await chmod(directory, 0o755)
    const found = await lstat(directory)
    return found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0
  } catch (error) {
    if (['EACCES', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EPERM', 'EROFS'].includes(codeOf(error))) return false
    throw error
  }
}

/**
 * Copies to a temporary name and then renames. Several processes can install at once, and a killed copy leaves
 * nothing half done.
 */
async function install(
  source: PackageSource,
  installed: string,
  account: ServerAccount | null,
): Promise<void> {
  const half = await mkdtemp(`${installed}.half-`)
  try {
    await run('cp', ['-R', `${source.root}/native/.`, half]) // cp copies 1,000 files five times as fast as node.
    await linkLibraries(half)
    await run('chmod', ['-R', 'u=rwX,go=rX', half])
    await tryOut(join(half, 'bin', 'postgres'), account)
    await rename(half, installed)
  } catch (error) {
    const anotherWasFirst = ['EEXIST', 'ENOTEMPTY'].includes(codeOf(error))
    if (!anotherWasFirst) throw error
    if (await exists(join(installed, 'bin', 'postgres'))) return
    throw new EmbeddedPostgresError('start_failed', `${installed} is incomplete. Remove it and start again.`)
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

/**
 * Makes the links that the package lists. npm packages cannot hold links, and the install script may not have run.
 */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, '..', target.replace(/^native\//, `${basename(native)}/`))
    await rm(link, { force: true })
    await symlink(basename(source), link)
  }
}

async function tryOut(postgres: string, account: ServerAccount | null): Promise<void> {
  try {
    await run(postgres, ['--version'], { cwd: '/', ...spawnAs(account) })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.trim() : String(cause)
    const message = `The embedded PostgreSQL does not run on this machine (on Linux it needs glibc 2.27 or later, so not Alpine): ${reason}. Set DATABASE_URL to a PostgreSQL server.`
    throw new EmbeddedPostgresError('unsupported_platform', message, { cause })
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}
