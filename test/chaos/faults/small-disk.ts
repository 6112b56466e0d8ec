import { spawnSync } from 'node:child_process'
import { chown, mkdir, mkdtemp, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemProgram } from '../../support/helper-programs.ts'

/** A file system of its own, which can be full. */
export interface SmallDisk {
  /** An empty directory on it, for whoever owns the data. */
  directory: string
  /** From now on nothing on it can grow. */
  fill(): Promise<void>
  free(): void
  remove(): Promise<void>
}

const size = '2g'
const triesMax = 100

/** Mounts one for the owner of `like`; null where this process may not mount, which takes root on Linux. */
export async function openSmallDisk(like: string): Promise<SmallDisk | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  const place = await mkdtemp(join(tmpdir(), 'action-gate-chaos-disk-'))
  if (!mount('-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', place)) {
    await rm(place, { recursive: true })
    return null
  }
  process.once('exit', () => spawnSync(systemProgram('umount'), ['--lazy', place]))
  const directory = join(place, 'tables')
  await mkdir(directory)
  const { uid, gid } = await stat(like)
  await chown(directory, uid, gid)
  const resize = (to: string): boolean => mount('-o', `remount,size=${to}`, place)
  return {
    directory,
    async fill() {
      // It may have grown since it was looked at: then it cannot be made so small.
      for (let tries = 1; tries <= triesMax; tries += 1) {
        const { blocks, bfree, bsize } = await statfs(place)
        if (resize(String((blocks - bfree) * bsize))) return
      }
      throw new Error(`${place} grows too quickly to be filled`)
    },
    free() {
      if (!resize(size)) throw new Error(`${place} cannot be given its room again`)
    },
    async remove() {
      spawnSync(systemProgram('umount'), ['--lazy', place])
      await rm(place, { recursive: true, force: true })
    },
  }
}

function mount(...parameters: string[]): boolean {
  return spawnSync(systemProgram('mount'), parameters, { stdio: 'ignore' }).status === 0
}
