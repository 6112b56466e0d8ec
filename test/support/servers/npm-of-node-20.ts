import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemProgram } from '../helper-programs.ts'
import { repositoryRoot } from '../repository-root.ts'
import { exists, unpackOnce } from './debian-package.ts'

const run = promisify(execFile)

/** Node 20 comes with it; it knows nothing of `allowScripts`. */
export const npmOfNode20 = '10.8.2'
const integrity = 'x/AIjFIKRllrhcb48dqUNAAZl0ig9+qMuN91RpZo3Cb2+zuibfh+KISl6+kVVyktDz230JKc208UkQwwMqyB+w=='

/** The program of that npm, unpacked into a directory of this checkout once its bytes are those that were published. */
export async function npmProgram(): Promise<string> {
  const unpacked = join(repositoryRoot, '.cache', `npm-${npmOfNode20}`)
  const program = join(unpacked, 'package', 'bin', 'npm-cli.js')
  const isThere = () => exists(program)
  if (!(await isThere())) await unpackOnce(unpacked, unpackNpm, isThere)
  return program
}

async function unpackNpm(work: string, root: string): Promise<void> {
  await run('npm', ['pack', `npm@${npmOfNode20}`, '--pack-destination', work], { timeout: 120_000 })
  const archive = join(work, `npm-${npmOfNode20}.tgz`)
  const found = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')
  if (found !== integrity) throw new Error(`the bytes of ${archive} are not those of npm ${npmOfNode20}`)
  await mkdir(root, { recursive: true })
  await run(systemProgram('tar'), ['-xzf', archive, '-C', root])
}
