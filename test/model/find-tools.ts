import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from '../support/repository-root.ts'
import {
  aptIn,
  archivesIn,
  systemName,
  unpackArchive,
  unpackOnce,
} from '../support/servers/debian-package.ts'

const run = promisify(execFile)
const cache = join(repositoryRoot, '.cache', 'spin')

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
  const isThere = async () => (await onPath(program, '-V')) !== null
  if (!(await isThere())) await unpackOnce(unpacked, unpackSpin, isThere)
  return program
}

/** The package alone: it needs the C library only. */
async function unpackSpin(work: string, root: string): Promise<void> {
  const apt = await aptIn(work)
  await apt('download', 'spin')
  const file = (await readdir(archivesIn(work))).find(name => name.endsWith('.deb'))
  if (file === undefined) throw new Error('apt-get downloaded no package')
  await unpackArchive(join(archivesIn(work), file), root)
  await run(join(root, 'usr', 'bin', 'spin'), ['-V'])
}
