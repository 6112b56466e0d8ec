import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { RedisProgram } from './redis-program.ts'
import { repositoryRoot } from './repository-root.ts'

const run = promisify(execFile)
const CACHE = join(repositoryRoot, '.cache', 'redis')
const DOWNLOAD_MS_MAX = 180_000

/**
 * Debian's redis-server (or valkey-server), downloaded with what it needs and unpacked into a directory of this
 * checkout. Nothing is installed and no right is needed. Null with the reason added to the refusals where that
 * does not work.
 */
export async function debianRedis(refusals: string[]): Promise<RedisProgram | null> {
  const unpacked = join(CACHE, await systemName())
  try {
    if (!(await exists(unpacked))) await downloadInto(unpacked)
    return await programIn(unpacked)
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error)
    refusals.push(`Debian's package could not be unpacked: ${reason}`)
    return null
  }
}

/** Packages unpacked on one system are not taken for another that shares the checkout. */
async function systemName(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const field = (name: string) => new RegExp(`^${name}="?([\\w.-]+)`, 'm').exec(release)?.[1] ?? 'unknown'
  return `${field('ID')}-${field('VERSION_ID')}-${process.arch}`
}

/** Works beside the final name and renames, so that runs at the same time or killed half way do no harm. */
async function downloadInto(unpacked: string): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const work = await mkdtemp(`${unpacked}.half-`)
  const root = join(work, 'root')
  try {
    for (const file of await downloadPackages(work)) await run('dpkg-deb', ['-x', file, root])
    const { path, libraries } = await programIn(root)
    await run('env', [`LD_LIBRARY_PATH=${libraries.join(':')}`, path, '--version'])
    await rename(root, unpacked)
  } catch (error) {
    if (!(await exists(unpacked))) throw error // else another run was first
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** The package and those of its dependencies that this system lacks. */
async function downloadPackages(work: string): Promise<string[]> {
  const lists = join(work, 'lists')
  const archives = join(work, 'archives')
  await mkdir(join(lists, 'partial'), { recursive: true })
  await mkdir(join(archives, 'partial'), { recursive: true })
  const settings = {
    'Dir::State::Lists': lists,
    'Dir::Cache': work,
    'Dir::Cache::Archives': archives,
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': '20',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const apt = (...parameters: string[]) =>
    run('apt-get', [...options, ...parameters], { timeout: DOWNLOAD_MS_MAX })
  await apt('--quiet', 'update')
  const install = ['--quiet', '--yes', '--no-install-recommends', '--download-only', 'install']
  try {
    await apt(...install, 'redis-server')
  } catch {
    await apt(...install, 'valkey-server')
  }
  const files = await readdir(archives)
  return files.filter(file => file.endsWith('.deb')).map(file => join(archives, file))
}

async function programIn(root: string): Promise<RedisProgram> {
  const programs = ['redis-server', 'valkey-server'].map(name => join(root, 'usr', 'bin', name))
  for (const path of programs) if (await exists(path)) return { path, libraries: await librariesIn(root) }
  throw new Error(`there is neither of ${programs.join(' and ')}`)
}

async function librariesIn(root: string): Promise<string[]> {
  const places = [join(root, 'usr', 'lib'), join(root, 'lib')]
  const found = await Promise.all(
    places.map(async place => {
      const names = await readdir(place).catch(() => [])
      return [place, ...names.filter(name => name.includes('-linux-gnu')).map(name => join(place, name))]
    }),
  )
  return found.flat()
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
