import type ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { judge, type Violation } from './exceptions.ts'
import { homes } from './homes.ts'
import { nodesOf, parseSource, placeOf, productFolders, readSources, type SourceFile } from './source-tree.ts'

describe('one home each', () => {
  const sources = readSources(productFolders)

  test.each(homes)('$rule', ({ rule, home, finds, advice }) => {
    const astray = sources.filter(({ path }) => !home?.test(path)).flatMap(file => findings(file, finds))
    expect(judge(rule, astray), advice).toEqual([])
  })

  test.each(homes.filter(({ home }) => home !== null))('$rule is at home there', ({ home, finds }) => {
    const there = sources.filter(({ path }) => home?.test(path)).flatMap(file => findings(file, finds))
    expect(there, 'nothing of the kind stands there any more: correct or remove the rule').not.toEqual([])
  })

  test.each(homes.flatMap(({ rule, finds, refused }) => refused.map(line => ({ rule, finds, line }))))(
    '$rule finds $line',
    ({ finds, line }) => expect(findings(parseSource('line.ts', line), finds)).not.toEqual([]),
  )

  test.each(homes.flatMap(({ rule, finds, allowed }) => allowed.map(line => ({ rule, finds, line }))))(
    '$rule leaves $line',
    ({ finds, line }) => expect(findings(parseSource('line.ts', line), finds)).toEqual([]),
  )
})

function findings(file: SourceFile, finds: (node: ts.Node) => boolean): Violation[] {
  return nodesOf(file.tree)
    .filter(finds)
    .map(node => ({
      file: file.path,
      shown: `${placeOf(file, node)}: ${node.getText().replace(/\s+/g, ' ').slice(0, 80)}`,
    }))
}
