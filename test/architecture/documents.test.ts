import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anchorsOf, documents, linksOf } from '../support/documents.ts'
import { generatedParts, readPart, writePart } from '../support/generated-parts.ts'
import { repositoryRoot } from '../support/repository-root.ts'

const advice = 'run UPDATE_DOCUMENTS=1 npx vitest run --config test/vitest.config.ts documents'

describe.each(generatedParts)('the part $name of $document', part => {
  test('equals the text that the code generates', () => {
    const wanted = `${part.write()}\n`
    if (process.env.UPDATE_DOCUMENTS === '1') writePart(part, wanted)
    expect(readPart(part), advice).toBe(wanted)
  })
})

test('the README has at most 200 lines and 1,200 words', () => {
  const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8')
  expect(readme.split('\n').length).toBeLessThanOrEqual(200)
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1200)
  expect(readme).toContain('\nnpm ci && npm test\n')
})

describe.each(documents())('the links of %s', document => {
  test('lead to a file and an anchor of the repository', () => {
    const dead = linksOf(document).filter(({ path, anchor }) => !isAlive(path, anchor))
    expect(dead.map(({ link }) => link)).toEqual([])
  })
})

function isAlive(path: string, anchor: string | null): boolean {
  if (!existsSync(join(repositoryRoot, path))) return false
  return anchor === null || anchorsOf(path).includes(anchor)
}
