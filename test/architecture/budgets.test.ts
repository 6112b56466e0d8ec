import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { judge, type Violation } from './exceptions.ts'
import {
  childrenOf,
  lineOf,
  nodesOf,
  parseSource,
  productFolders,
  readSources,
  type SourceFile,
} from './source-tree.ts'

/** In lines, with those of inner functions, but for the nesting. The linter counts parameters. */
const functionMax = 70
const budgets = {
  product: { fileMax: 400, functionP90: 35, nestingMax: 3 },
  test: { fileMax: 500, functionP90: 50, nestingMax: 3 },
} as const

describe.each([
  { name: 'product', sources: readSources(productFolders), budget: budgets.product },
  { name: 'test', sources: readSources(['test']), budget: budgets.test },
])('the size of the $name', ({ name, sources, budget }) => {
  const functions = sources.flatMap(functionsOf)
  const fileLines = sources.map(file => ({ file: file.path, size: lineCount(file) }))

  test('was measured', () => {
    expect(sources.length).toBeGreaterThan(20)
    expect(functions.length).toBeGreaterThan(100)
  })

  test(`files have at most ${budget.fileMax} lines`, () => {
    const long = fileLines
      .filter(({ size }) => size > budget.fileMax)
      .map(({ file, size }) => ({ file, shown: `${file}: ${size} lines` }))
    expect(
      judge(`${name}-file-max`, long),
      'find the second thing that the file does and move it out',
    ).toEqual([])
  })

  test(`nine functions of ten have at most ${budget.functionP90} lines`, () => {
    const long = beyondTheTenth(functions, budget.functionP90)
    expect(
      long.map(({ place, size }) => `${place}: ${size} lines`),
      'take steps out of these',
    ).toEqual([])
  })

  test(`statements are nested at most ${budget.nestingMax} deep`, () => {
    const deep: Violation[] = functions
      .filter(({ nesting }) => nesting > budget.nestingMax)
      .map(({ file, place, nesting }) => ({ file, shown: `${place}: ${nesting} deep` }))
    expect(judge(`${name}-nesting`, deep), 'return early, or give the inner part a name of its own').toEqual(
      [],
    )
  })
})

test(`no function of the product has more than ${functionMax} lines`, () => {
  const long = readSources(productFolders)
    .flatMap(functionsOf)
    .filter(({ size }) => size > functionMax)
  expect(
    long.map(({ place, size }) => `${place}: ${size} lines`),
    'give a part of it a name of its own',
  ).toEqual([])
})

/** A comment gives a reason, a guarantee or a figure in a sentence with a subject; what the code says needs none. */
describe('the comments of the product', () => {
  const comments = readSources(productFolders).flatMap(commentsOf)
  const share = (kind: RegExp) => comments.filter(words => kind.test(words)).length / comments.length

  test('are at most 3,800', () => {
    expect(comments.length).toBeGreaterThan(1000)
    expect(comments.length).toBeLessThanOrEqual(3800)
  })

  test('begin with their subject: one of twenty may not', () => {
    const headless =
      /^(what|whether|how|whom|whose|who|where|of|that|so that|null where|in how|for how|as it|the same)\b/i
    expect(share(headless)).toBeLessThanOrEqual(0.05)
  })

  test('give a reason or a figure: one of four at least', () => {
    const reason = /\b(because|since|so that|otherwise|or else|else|would|measured|ms\b|times|MiB|kB|%)/i
    expect(share(reason)).toBeGreaterThanOrEqual(0.25)
  })

  test('are read whole, line comments each, and counted once', () => {
    const text = `/** A whole\n * sentence. */\nconst a = 1 // beside\n// first\n// second\nexport { a }`
    expect(commentsOf(parseSource('sample.ts', text))).toEqual([
      'A whole sentence.',
      'beside',
      'first',
      'second',
    ])
  })
})

test('kinds of actuators are compared in three files at most, outside their own room', () => {
  const compared = /\bkind\s*[!=]==\s*'(mock|http|mcp|module)'|case '(mock|http|mcp|module)':/g
  const found = readSources(productFolders)
    .filter(({ path }) => !path.startsWith('shared/actuator/'))
    .flatMap(({ path, text }) => [...text.matchAll(compared)].map(() => path))
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(8)
  expect(new Set(found).size, 'ask shared/contract/actuator-kind').toBeLessThanOrEqual(3)
})

describe('the measure', () => {
  const measured = functionsOf(
    parseSource(
      'sample.ts',
      `const flat = (a: number) => a
       function named() {
         if (a) b()
         else if (c) d()
         for (const x of y) {
           try {
             while (x) if (x) z()
           } finally {
             w(() => { if (x) z() })
           }
         }
       }`,
    ),
  )

  test('counts functions with a body of statements, by name', () => {
    expect(measured.map(({ place, size }) => [place, size])).toEqual([
      ['sample.ts:2 named', 11],
      ['sample.ts:9 w', 1],
    ])
  })

  test('counts nesting within a function; else-if is no deeper than its if', () => {
    expect(measured.map(({ nesting }) => nesting)).toEqual([4, 1])
  })

  test('names what lies beyond the tenth part', () => {
    const sizes = [...Array(18).fill(1), 50, 60].map(size => ({ size }))
    expect(beyondTheTenth(sizes, 10)).toEqual([])
    expect(beyondTheTenth([...sizes, { size: 40 }], 10)).toEqual([{ size: 60 }, { size: 50 }, { size: 40 }])
  })
})

interface MeasuredFunction {
  file: string
  /** Where it starts and what it is called. */
  place: string
  size: number
  nesting: number
}

/** Functions with statements; `a => b` is an expression and counts as part of the function around it. */
function functionsOf(file: SourceFile): MeasuredFunction[] {
  return nodesOf(file.tree)
    .filter(hasStatements)
    .map(node => {
      const first = lineOf(file, node.getStart())
      return {
        file: file.path,
        place: `${file.path}:${first} ${nameOf(node)}`,
        size: lineOf(file, node.end) - first + 1,
        nesting: nestingIn(node.body),
      }
    })
}

function hasStatements(node: ts.Node): node is ts.FunctionLikeDeclaration & { body: ts.Block } {
  return (
    ts.isFunctionLike(node) && 'body' in node && node.body !== undefined && ts.isBlock(node.body as ts.Node)
  )
}

function commentsOf({ text, tree }: SourceFile): string[] {
  const ranges = [tree, ...nodesOf(tree)].flatMap(node => [
    ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
    ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
  ])
  const ends = new Map(ranges.map(({ pos, end }) => [pos, end]))
  return [...ends]
    .sort(([one], [other]) => one - other)
    .map(([pos, end]) => {
      const bare = text.slice(pos, end).replace(/^\/\*\*?|\*\/$|^\/\//g, '')
      return bare.replace(/\s*\n\s*\*?\s*/g, ' ').trim()
    })
    .filter(words => words !== '')
}

/** Its own name, or that of what holds or takes it. */
function nameOf(node: ts.FunctionLikeDeclaration): string {
  const holder: ts.Node = node.parent
  if (node.name) return node.name.getText()
  if (ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder)) return holder.name.getText()
  return ts.isCallExpression(holder) ? (holder.expression.getText().split('\n')[0] ?? '') : ''
}

function nestingIn(node: ts.Node): number {
  const depths = childrenOf(node).map(child => {
    if (ts.isFunctionLike(child)) return 0
    return nestingIn(child) + (nests(child) ? 1 : 0)
  })
  return Math.max(0, ...depths)
}

const nestingKinds: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.IfStatement,
  ts.SyntaxKind.ForStatement,
  ts.SyntaxKind.ForInStatement,
  ts.SyntaxKind.ForOfStatement,
  ts.SyntaxKind.WhileStatement,
  ts.SyntaxKind.DoStatement,
  ts.SyntaxKind.SwitchStatement,
  ts.SyntaxKind.TryStatement,
])

function nests(node: ts.Node): boolean {
  const isElseIf = ts.isIfStatement(node.parent) && node.parent.elseStatement === node
  return nestingKinds.has(node.kind) && !isElseIf
}

/** Those above the limit, largest first, when they are more than a tenth of all. */
function beyondTheTenth<Sized extends { size: number }>(all: readonly Sized[], limit: number): Sized[] {
  const above = all.filter(({ size }) => size > limit)
  return above.length * 10 > all.length ? above.sort((one, other) => other.size - one.size) : []
}

function lineCount({ text }: SourceFile): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}
