import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../repository-root.ts'

/** Test vectors that others published; test/vectors/MANIFEST.txt names the source, licence and digest of each file. */
export const vectorsFolder = join(repositoryRoot, 'test', 'vectors')

export function readVector(path: string): string {
  return readFileSync(join(vectorsFolder, path), 'utf8')
}
