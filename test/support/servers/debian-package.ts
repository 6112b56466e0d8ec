import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { systemPath, systemProgram } from '../helper-programs.ts'

const run = promisify(execFile)
const downloadMsMax = 180_000

/** Packages of Debian that are unpacked into a directory of the checkout: nothing is installed and no right is needed. */

/** What is unpacked on one system is not taken for another that shares the checkout. */
export async function systemName(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const field = (name: string) => new RegExp(`^${name}="?([\\w.-]+)`, 'm').exec(release)?.[1] ?? 'unknown'
  return `${field('ID')}-${field('VERSION_ID')}-${process.arch}`
}

/** Works beside the final name and renames, so that runs at the same time or killed half way do no harm. */
export async function unpackOnce(
  unpacked: string,
  fill: (work: string, root: string) => Promise<void>,
  isThere: () => Promise<boolean>,
): Promise<void> {
  await mkdir(dirname(unpacked), { recursive: true })
  const work = await mkdtemp(`${unpacked}.half-`)
  const root = join(work, 'root')
  try {
    await fill(work, root)
    await rename(root, unpacked)
  } catch (error) {
    if (!(await isThere())) throw error // else another run was first
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/**
 * `apt-get` with its lists and archives below a directory, which is where it downloads to; the lists are fresh. What is
 * named is downloaded also where the machine has it, since its files are looked for among those that were unpacked.
 */
export async function aptIn(work: string): Promise<(...parameters: string[]) => Promise<unknown>> {
  const [lists, archives] = [join(work, 'lists'), archivesIn(work)]
  for (const place of [lists, archives]) await mkdir(join(place, 'partial'), { recursive: true })
  const settings = {
    'Dir::State::Lists': lists,
    'Dir::Cache': work,
    'Dir::Cache::Archives': archives,
    'Debug::NoLocking': '1',
    'APT::Get::ReInstall': 'true',
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': '20',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const apt = (...parameters: string[]) =>
    run(systemProgram('apt-get'), [...options, '--quiet', ...parameters], {
      cwd: archives,
      timeout: downloadMsMax,
      env: { ...process.env, PATH: systemPath() },
    })
  await apt('update')
  return apt
}

/** Where the packages are that `aptIn` of the same directory downloaded. */
export function archivesIn(work: string): string {
  return join(work, 'archives')
}

/** Where the dynamic loader finds what was unpacked: packages name a folder of their own by its place in the system. */
export async function librariesIn(root: string): Promise<string[]> {
  const places = [join(root, 'usr', 'lib'), join(root, 'lib')]
  const ofMachine = (await Promise.all(places.map(foldersIn)))
    .flat()
    .filter(path => path.endsWith('-linux-gnu'))
  const ofPackages = (await Promise.all(ofMachine.map(foldersIn))).flat()
  const withLibraries = await Promise.all(
    ofPackages.map(async path => ((await hasLibrary(path)) ? [path] : [])),
  )
  return [...places, ...ofMachine, ...withLibraries.flat()]
}

async function foldersIn(place: string): Promise<string[]> {
  const entries = await readdir(place, { withFileTypes: true }).catch(() => [])
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => join(place, name))
}

async function hasLibrary(folder: string): Promise<boolean> {
  return (await readdir(folder)).some(name => /^lib.*\.so(\.|$)/.test(name))
}

/** Every package that was downloaded. */
export async function unpackArchives(work: string, root: string): Promise<void> {
  const files = (await readdir(archivesIn(work))).filter(file => file.endsWith('.deb'))
  for (const file of files) await unpackArchive(join(archivesIn(work), file), root)
}

/** One package; `dpkg-deb` runs programs of the system, too. */
export async function unpackArchive(file: string, root: string): Promise<void> {
  await run(systemProgram('dpkg-deb'), ['-x', file, root], { env: { ...process.env, PATH: systemPath() } })
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
