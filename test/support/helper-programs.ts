import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'vitest'

/** Programs that some test runs, and that neither Node nor its packages nor the tests themselves bring. */
export const helperPrograms = ['bash', 'curl', 'git', 'openssl', 'python3', 'script'] as const
export type HelperProgram = (typeof helperPrograms)[number]

/** Programs of every system of the kind, and `dpkg` and `apt-get` where Debian's packages are unpacked; nginx is one of these. */
type SystemProgram =
  | 'apt-get'
  | 'chmod'
  | 'cp'
  | 'dpkg-deb'
  | 'env'
  | 'flock'
  | 'id'
  | 'mkfifo'
  | 'mount'
  | 'nginx'
  | 'ps'
  | 'sh'
  | 'tar'
  | 'umount'

const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'] as const

/**
 * Skips the test that asks, and says in its line what is missing, unless each of these is on PATH. A machine with Node and
 * npm alone has none of them.
 */
export function needs({ skip }: Pick<TestContext, 'skip'>, ...programs: readonly HelperProgram[]): void {
  const missing = programs.filter(name => !has(name))
  skip(missing.length > 0, `${missing.join(' and ')} missing on PATH`)
}

/** Where a program of the system is, whatever PATH says: only what a system may lack is looked for on PATH alone. */
export function systemProgram(name: SystemProgram): string {
  const folders = [...foldersOnPath(), ...systemFolders]
  return folders.map(folder => join(folder, name)).find(isProgram) ?? name
}

/** PATH, and behind it where the programs of a system are: for scripts whose own programs are of the system. */
export function systemPath(): string {
  return [...new Set([...foldersOnPath(), ...systemFolders])].join(delimiter)
}

/** For what is made before the tests that need it. */
export function has(name: HelperProgram): boolean {
  return foldersOnPath().some(folder => isProgram(join(folder, name)))
}

function foldersOnPath(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter(folder => folder !== '')
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
