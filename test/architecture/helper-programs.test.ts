import ts from 'typescript'
import { expect, test } from 'vitest'
import { helperPrograms } from '../support/helper-programs.ts'
import { nodesOf, parseSource, placeOf, readSources, type SourceFile } from './source-tree.ts'

const starters: ReadonlySet<string> = new Set([
  'exec',
  'execFile',
  'execFileSync',
  'execSync',
  'spawn',
  'spawnSync',
])
/** What every machine with Node has. */
const brought: ReadonlySet<string> = new Set(['npm', 'npx'])
const known: ReadonlySet<string> = new Set(helperPrograms)

test('tests start programs by a path, or those that helper-programs.ts knows', () => {
  const found = readSources(['test']).flatMap(file =>
    programsOf(file).flatMap(({ node, name }) =>
      brought.has(name) || known.has(name) ? [] : [`${placeOf(file, node)}: ${name}`],
    ),
  )
  expect(found, 'take it from systemProgram(), or add it to helper-programs.ts and ask needs()').toEqual([])
})

test('a test file that starts a helper program asks whether it is there', () => {
  const found = readSources(['test'])
    .filter(({ path }) => path.endsWith('.test.ts'))
    .filter(file => programsOf(file).some(({ name }) => known.has(name)) && !/\bneeds\(/.test(file.text))
  expect(found.map(({ path }) => path)).toEqual([])
})

test.each([
  ["import { spawn } from 'node:child_process'\nspawn('curl', [])", ['curl']],
  ["import { execFile } from 'node:child_process'\nconst run = promisify(execFile)\nrun('tar', [])", ['tar']],
  ["import { execFile } from 'node:child_process'\nawait promisify(execFile)('sh', [])", ['sh']],
  ["import { spawn } from 'node:child_process'\nspawn('/bin/sh', [])\nspawn(process.execPath, [])", []],
  ["gate.run('crm.read', {})\nrun('keyed')", []],
])('of the programs in line %# it finds those that are named', (text, names) => {
  expect(programsOf(parseSource('line.ts', text)).map(({ name }) => name)).toEqual(names)
})

/** Each program that is started by its bare name. */
function programsOf(file: SourceFile): { node: ts.Node; name: string }[] {
  if (!file.text.includes('child_process')) return []
  const nodes = nodesOf(file.tree)
  const aliases = new Set(
    nodes
      .filter(ts.isVariableDeclaration)
      .filter(({ initializer }) => initializer !== undefined && isPromisified(initializer))
      .map(({ name }) => name.getText()),
  )
  return nodes.filter(ts.isCallExpression).flatMap(node => {
    const { expression, arguments: given } = node
    const starts = ts.isIdentifier(expression)
      ? starters.has(expression.text) || aliases.has(expression.text)
      : isPromisified(expression)
    const [first] = given
    if (!starts || !first || !ts.isStringLiteral(first) || first.text.startsWith('/')) return []
    return [{ node, name: first.text }]
  })
}

function isPromisified(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || node.expression.getText() !== 'promisify') return false
  const [first] = node.arguments
  return first !== undefined && starters.has(first.getText())
}
