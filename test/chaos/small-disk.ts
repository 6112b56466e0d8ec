import { spawnSync } from 'node:child_process'
import { chown, mkdir, mkdtemp, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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

/** Mounts one for the owner of `like`; null where this process may not mount, which takes root on Linux. */
export async function openSmallDisk(like: string): Promise<SmallDisk | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  const place = await mkdtemp(join(tmpdir(), 'action-gate-chaos-disk-'))
  if (!mount('-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', place)) {
    await rm(place, { recursive: true })
    return null
  }
  process.once('exit', () => spawnSync('umount', ['--lazy', place]))
  const directory = join(place, 'tables')
  await mkdir(directory)
  const { uid, gid } = await stat(like)
  await chown(directory, uid, gid)
  const resize = (to: string): void => {
    if (!mount('-o', `remount,size=${to}`, place)) throw new Error(`${place} cannot be resized to ${to}`)
  }
  return {
    directory,
    async fill() {
      const { blocks, bfree, bsize } = await statfs(place)
      resize(String((blocks - bfree) * bsize))
    },
    free: () => resize(size),
    async remove() {
      spawnSync('umount', ['--lazy', place])
      await rm(place, { recursive: true, force: true })
    },
  }
}

function mount(...parameters: string[]): boolean {
  return spawnSync('mount', parameters, { stdio: 'ignore' }).status === 0
}
