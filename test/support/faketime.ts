import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from './repository-root.ts'
import {
  aptIn,
  exists,
  librariesIn,
  systemName,
  unpackArchives,
  unpackOnce,
} from './servers/debian-package.ts'

const CACHE = join(repositoryRoot, '.cache', 'faketime')

/** A wall clock that a process can be started with, and that can be set while it runs; its monotonic clock stays right. */
export interface FakeClock {
  environment: Record<string, string>
  /** The process sees this within a second. */
  set(offsetSeconds: number): void
  /** What a process that was killed leaves behind would keep another with its number from starting. */
  tidyAfter(pid: number): void
}

/**
 * Debian's libfaketime, downloaded and unpacked into this checkout: a function that makes clocks, each kept in the file
 * that it is given. Null where it cannot be had, with the reason.
 */
export async function provideFakeClocks(): Promise<{
  open: ((file: string) => FakeClock) | null
  why: string
}> {
  const unpacked = join(CACHE, await systemName())
  const isThere = () => exists(unpacked)
  try {
    if (!(await isThere())) await unpackOnce(unpacked, unpackFaketime, isThere)
    const library = await libraryIn(unpacked)
    return { open: file => clockOf(library, file), why: '' }
  } catch (error) {
    const why = error instanceof Error ? error.message.trim() : String(error)
    return { open: null, why: `libfaketime could not be unpacked: ${why}` }
  }
}

async function unpackFaketime(work: string, root: string): Promise<void> {
  const apt = await aptIn(work)
  await apt('--yes', '--no-install-recommends', '--download-only', 'install', 'libfaketime')
  await unpackArchives(work, root)
  await libraryIn(root)
}

async function libraryIn(root: string): Promise<string> {
  for (const place of await librariesIn(root)) {
    const path = join(place, 'libfaketime.so.1')
    if (await exists(path)) return path
  }
  throw new Error(`there is no libfaketime.so.1 in ${root}`)
}

function clockOf(library: string, file: string): FakeClock {
  const set = (offsetSeconds: number): void =>
    writeFileSync(file, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}\n`)
  set(0)
  return {
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
    tidyAfter(pid) {
      for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`])
        rmSync(join('/dev/shm', name), { force: true })
    },
  }
}
