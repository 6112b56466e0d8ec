import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from '../repository-root.ts'
import { aptIn, exists, librariesIn, systemName, unpackArchives, unpackOnce } from './debian-package.ts'

const run = promisify(execFile)
const CACHE = join(repositoryRoot, '.cache', 'chromium')
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** A browser of Chromium's family and the environment it needs. */
export interface Chromium {
  path: string
  env: Record<string, string>
  /** Where it came from, for the log. */
  how: string
}

/**
 * A real browser for the tests: that of `CHROMIUM_PATH`, of the machine, or Debian's, unpacked into a directory of this
 * checkout without being installed. Throws with every reason where there is none.
 */
export async function findChromium(): Promise<Chromium> {
  const installed = await installedChromium()
  if (installed) return installed
  const unpacked = join(CACHE, await systemName())
  try {
    const isThere = () => exists(unpacked)
    if (!(await isThere())) await unpackOnce(unpacked, unpackChromium, isThere)
    return await chromiumIn(unpacked)
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error)
    throw new Error(
      'The tests of the pages need a browser of the Chromium family. None of ' +
        `${names.join(', ')} is on the PATH, and Debian's package could not be unpacked: ${reason}\n` +
        'Install one, or name it in CHROMIUM_PATH.',
    )
  }
}

async function installedChromium(): Promise<Chromium | null> {
  const given = process.env.CHROMIUM_PATH
  if (given) return { path: given, env: {}, how: 'CHROMIUM_PATH' }
  const folders = (process.env.PATH ?? '').split(delimiter).filter(folder => folder !== '')
  for (const path of folders.flatMap(folder => names.map(name => join(folder, name)))) {
    if (await exists(path)) return { path, env: {}, how: path }
  }
  return null
}

/** The package and those of its dependencies that this system lacks. */
async function unpackChromium(work: string, root: string): Promise<void> {
  const apt = await aptIn(work)
  await apt('--yes', '--no-install-recommends', '--download-only', 'install', 'chromium')
  await unpackArchives(work, root)
  const { path, env } = await chromiumIn(root)
  await run(path, ['--version'], { env: { ...process.env, ...env } })
}

/** The program itself: the script around it looks for files below the root of the system. */
async function chromiumIn(root: string): Promise<Chromium> {
  const path = join(root, 'usr', 'lib', 'chromium', 'chromium')
  const libraries = await librariesIn(root)
  const fonts = join(root, 'etc', 'fonts')
  const env = {
    LD_LIBRARY_PATH: libraries.join(':'),
    ...((await exists(fonts)) ? { FONTCONFIG_PATH: fonts, FONTCONFIG_SYSROOT: root } : {}),
  }
  return { path, env, how: "Debian's package, unpacked" }
}
