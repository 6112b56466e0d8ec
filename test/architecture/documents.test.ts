import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { citationsOfCode, dead, linksOfDocuments } from '../house/citations.ts'
import { pictures } from '../pictures/pictures.ts'
import { commandsOf, documents, pathsOf, readDocument, scriptsOf } from '../support/documents.ts'
import { generatedParts, readPart, writePart } from '../support/generated-parts.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { listFiles } from './source-tree.ts'

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

test('the way to the first tool takes at most 300 words', () => {
  expect(readDocument('api/docs/first-tool.md').split(/\s+/).length).toBeLessThanOrEqual(300)
})

test('documents show each picture that npm run pictures takes, and no other', () => {
  const named = documents().flatMap(path => readDocument(path).match(/(?<=\bpictures\/)[\w-]+\.png/g) ?? [])
  const there = listFiles(['api']).flatMap(path => /^api\/web\/pictures\/(.*\.png)$/.exec(path)?.[1] ?? [])
  const taken = pictures.map(({ file }) => file).sort()
  expect([...new Set(named)].sort()).toEqual(taken)
  expect(there.sort()).toEqual(taken)
})

/** The code whose comments, messages and rules cite documents. */
const cited = listFiles(['api', 'shared', 'test', 'worker']).filter(path => /\.(ts|tsx|mjs|yml)$/.test(path))

describe('the citations of documents in the code', () => {
  const texts = cited.map(path => ({ path, text: readDocument(path) }))

  test('lead to an anchor of api/docs', () => {
    const found = citationsOfCode()
    expect(found.length).toBeGreaterThan(150)
    expect(dead(found)).toEqual([])
  })

  test('name an anchor, and no section by its number', () => {
    const numbered =
      /\b(contract|specification|definitions|verification|reliability)(?:'s)?,? sections? [0-9]/i
    expect(texts.filter(({ text }) => numbered.test(text)).map(({ path }) => path)).toEqual([])
  })
})

describe.each(documents())('the links of %s', document => {
  test('lead to a file and an anchor of the repository', () => {
    expect(dead(linksOfDocuments([document]))).toEqual([])
  })
})

/** A block in `sh` is run by a test as it is printed; one in `bash` is not. */
const followed = ['audit', 'first-tool', 'integrate', 'operate', 'policies', 'policy-analysis']

test('only documents that a test follows have commands in sh', () => {
  const withCommands = documents().filter(document => commandsOf(document).length > 0)
  expect(withCommands).toEqual(['README.md', ...followed.map(name => `api/docs/${name}.md`)].sort())
  const walkthrough = readDocument('test/service/edge/document-walkthrough.test.ts')
  expect(withCommands.filter(document => !walkthrough.includes(`'${document}'`))).toEqual([])
})

describe.each(documents())('the files and scripts that %s names', document => {
  test('are in the repository', () => {
    const lost = pathsOf(document).filter(path => !isFile(path) && !isFile(`test/${path}`))
    expect(lost).toEqual([])
    const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> }
    expect(scriptsOf(document).filter(name => !(name in scripts))).toEqual([])
  })
})

function isFile(path: string): boolean {
  return existsSync(join(repositoryRoot, path))
}
