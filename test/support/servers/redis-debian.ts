import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from '../repository-root.ts'
import { aptIn, exists, librariesIn, systemName, unpackArchives, unpackOnce } from './debian-package.ts'
import type { RedisProgram } from './redis-program.ts'

const run = promisify(execFile)
const CACHE = join(repositoryRoot, '.cache', 'redis')

/**
 * Debian's redis-server (or valkey-server), downloaded with what it needs and unpacked into a directory of this
 * checkout. Nothing is installed and no right is needed. Null with the reason added to the refusals where that
 * does not work.
 */
export async function debianRedis(refusals: string[]): Promise<RedisProgram | null> {
  const unpacked = join(CACHE, await systemName())
  try {
    const isThere = () => exists(unpacked)
    if (!(await isThere())) await unpackOnce(unpacked, unpackRedis, isThere)
    return await programIn(unpacked)
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error)
    refusals.push(`Debian's package could not be unpacked: ${reason}`)
    return null
  }
}

/**
 * The package and those of its dependencies that this system lacks. The program itself lies in the tools, so they
 * are named too.
 */
async function unpackRedis(work: string, root: string): Promise<void> {
  const apt = await aptIn(work)
  const install = ['--yes', '--no-install-recommends', '--download-only', 'install']
  try {
    await apt(...install, 'redis-server', 'redis-tools')
  } catch {
    await apt(...install, 'valkey-server', 'valkey-tools')
  }
  await unpackArchives(work, root)
  const { path, libraries } = await programIn(root)
  await run(path, ['--version'], { env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') } })
}

async function programIn(root: string): Promise<RedisProgram> {
  const programs = ['redis-server', 'valkey-server'].map(name => join(root, 'usr', 'bin', name))
  for (const path of programs) if (await exists(path)) return { path, libraries: await librariesIn(root) }
  throw new Error(`there is neither of ${programs.join(' and ')}`)
}
