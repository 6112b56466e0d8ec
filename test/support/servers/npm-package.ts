import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemProgram } from '../helper-programs.ts'
import { repositoryRoot } from '../repository-root.ts'
import { exists, unpackOnce } from './debian-package.ts'

const run = promisify(execFile)

/** A package of the registry that is no dependency: too large to install, or of another kind. */
export interface NpmPackage {
  name: string
  version: string
  /** SHA-512 of its archive, in base64. */
  integrity: string
}

/** Where its files are, unpacked into `.cache` once its bytes are those that were published. */
export async function unpackedPackage({ name, version, integrity }: NpmPackage): Promise<string> {
  const unpacked = join(repositoryRoot, '.cache', `${name}-${version}`)
  const isThere = () => exists(join(unpacked, 'package'))
  if (await isThere()) return join(unpacked, 'package')
  const unpack = async (work: string, root: string): Promise<void> => {
    await run('npm', ['pack', `${name}@${version}`, '--pack-destination', work], { timeout: 300_000 })
    const archive = join(work, `${name}-${version}.tgz`)
    const found = createHash('sha512')
      .update(await readFile(archive))
      .digest('base64')
    if (found !== integrity) throw new Error(`the bytes of ${archive} are not those of ${name} ${version}`)
    await mkdir(root, { recursive: true })
    await run(systemProgram('tar'), ['-xzf', archive, '-C', root])
  }
  await unpackOnce(unpacked, unpack, isThere)
  return join(unpacked, 'package')
}
