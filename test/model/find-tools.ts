import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from '../support/repository-root.ts'

const run = promisify(execFile)
const cache = join(repositoryRoot, '.cache', 'spin')
const downloadMsMax = 120_000

/** Programs that a model is checked with. */
export interface Tools {
  spin: string
  compiler: string
}

/**
 * A C compiler of PATH, and spin of PATH or else Debian's package unpacked into `.cache`, where nothing is installed and
 * no right is needed. Else the reason why the model cannot be checked here.
 */
export async function findTools(): Promise<Tools | { missing: string }> {
  const compiler = (await onPath('gcc', '--version')) ?? (await onPath('cc', '--version'))
  if (compiler === null) return { missing: 'no C compiler is on PATH: install gcc' }
  const spin = await onPath('spin', '-V')
  if (spin !== null) return { spin, compiler }
  try {
    return { spin: await debianSpin(), compiler }
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error)
    return { missing: `spin is not on PATH, and Debian's package cannot be had: ${reason.split('\n')[0]}` }
  }
}

/** The program if it runs and says its version. */
async function onPath(program: string, version: string): Promise<string | null> {
  return run(program, [version]).then(
    () => program,
    () => null,
  )
}

async function debianSpin(): Promise<string> {
  const unpacked = join(cache, await systemName())
  const program = join(unpacked, 'usr', 'bin', 'spin')
  if ((await onPath(program, '-V')) === null) await downloadInto(unpacked)
  return program
}

/** What is unpacked on one system is not taken for another that shares the checkout. */
async function systemName(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8')
  const field = (name: string) => new RegExp(`^${name}="?([\\w.-]+)`, 'm').exec(release)?.[1] ?? 'unknown'
  return `${field('ID')}-${field('VERSION_ID')}-${process.arch}`
}

/** Works beside the final name and renames, so that runs at the same time or killed half way do no harm. */
async function downloadInto(unpacked: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  const work = await mkdtemp(`${unpacked}.half-`)
  const root = join(work, 'root')
  try {
    await run('dpkg-deb', ['-x', await downloadPackage(work), root])
    await run(join(root, 'usr', 'bin', 'spin'), ['-V'])
    await rename(root, unpacked)
  } catch (error) {
    if ((await onPath(join(unpacked, 'usr', 'bin', 'spin'), '-V')) === null) throw error // else another run was first
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** The package alone: it needs the C library only. */
async function downloadPackage(work: string): Promise<string> {
  const lists = join(work, 'lists')
  await mkdir(join(lists, 'partial'), { recursive: true })
  const settings = {
    'Dir::State::Lists': lists,
    'Dir::Cache': work,
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': '20',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const apt = (...parameters: string[]) =>
    run('apt-get', [...options, '--quiet', ...parameters], { cwd: work, timeout: downloadMsMax })
  await apt('update')
  await apt('download', 'spin')
  const file = (await readdir(work)).find(name => name.endsWith('.deb'))
  if (file === undefined) throw new Error('apt-get downloaded no package')
  return join(work, file)
}
