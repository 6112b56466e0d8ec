import ts from 'typescript'
import { expect, test } from 'vitest'
import { titleMax, tooLong } from '../support/long-titles.ts'
import { nodesOf, parseSource, placeOf, readSources, type SourceFile } from './source-tree.ts'

test(`each title has at most ${titleMax} characters`, () => {
  const titles = readSources(['test'])
    .filter(({ path }) => path.endsWith('.test.ts'))
    .flatMap(titlesOf)
  expect(titles.length).toBeGreaterThan(1_000)
  expect(titles.filter(({ title }) => title.length > titleMax)).toEqual([])
})

test('the titles of a file are those of its tests and of their tables', () => {
  const text = `
    test('plain', () => {})
    it.each([1])('of a table with %s', () => {})
    test.skipIf(without)(\`of \${what}\`, { timeout: 1 }, () => {})
    describe('a group', () => {})
    other.test('of something else', () => {})`
  expect(titlesOf(parseSource('made.test.ts', text)).map(({ title }) => title)).toEqual([
    'plain',
    'of a table with %s',
    `of \${what}`,
  ])
})

test('a run names the tests whose titles came out too long', () => {
  const names = ['x'.repeat(titleMax), 'y'.repeat(titleMax + 1)]
  expect(tooLong(names.map(name => ({ name, module: { relativeModuleId: 'test/a.test.ts' } })))).toEqual([
    `test/a.test.ts: a title of 81 characters: ${names[1]}`,
  ])
})

/** The titles as they are written: where a table fills one, the run looks at what came of it. */
function titlesOf(file: SourceFile): { title: string; place: string }[] {
  return nodesOf(file.tree).flatMap(node => {
    if (!ts.isCallExpression(node) || node.arguments.length < 2 || !callsTest(node.expression)) return []
    const [title] = node.arguments
    if (!title || !(ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) return []
    const text = ts.isTemplateExpression(title) ? title.getText().slice(1, -1) : title.text
    return [{ title: text, place: placeOf(file, title) }]
  })
}

/** `test`, `it.skip`, `test.each(rows)`. */
function callsTest(called: ts.Expression): boolean {
  if (ts.isIdentifier(called)) return called.text === 'test' || called.text === 'it'
  if (ts.isCallExpression(called) || ts.isPropertyAccessExpression(called))
    return callsTest(called.expression)
  return false
}
