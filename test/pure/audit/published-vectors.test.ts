import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { listFiles } from '../../architecture/source-tree.ts'
import { readVector, vectorsFolder } from '../../support/audit/published-vectors.ts'
import { repositoryRoot } from '../../support/repository-root.ts'

const digests = new Map(
  [...readVector('MANIFEST.txt').matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)].map(([, digest, path]) => [
    path,
    digest,
  ]),
)

test('each published vector has the bytes of its digest in the manifest', () => {
  const files = readdirSync(vectorsFolder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name !== 'MANIFEST.txt' && entry.name !== '.gitattributes')
    .map(entry => relative(vectorsFolder, join(entry.parentPath, entry.name)))
  const found = files.map(path => [path, digestOf(join(vectorsFolder, path))] as const)
  expect(new Map(found.sort())).toEqual(new Map([...digests].sort()))
  expect(digests.size).toBe(35)
})

test('no test needs a folder beside the repository', () => {
  const outside = ['..', 'shared', 'vectors'].join('/')
  const texts = listFiles(['test']).filter(path => /\.(ts|md)$/.test(path))
  expect(texts.length).toBeGreaterThan(500)
  const naming = texts.filter(path => readFileSync(join(repositoryRoot, path), 'utf8').includes(outside))
  expect(naming).toEqual([])
})

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
