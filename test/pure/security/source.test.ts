import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { nodesOf, placeOf, productFolders, readSources } from '../../architecture/source-tree.ts'

/** Rules of the source that keep whole classes of attacks out. */
const sources = readSources(productFolders)

function places(finds: (node: ts.Node) => boolean): string[] {
  return sources.flatMap(file =>
    nodesOf(file.tree)
      .filter(finds)
      .map(node => `${placeOf(file, node)} ${node.getText().slice(0, 80)}`),
  )
}

const markup = /^(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|srcdoc|srcDoc)$/

it('no text becomes a program', () => {
  const found = places(
    node =>
      (ts.isCallExpression(node) || ts.isNewExpression(node)) &&
      /^(globalThis\.|window\.)?(eval|Function)$/.test(node.expression.getText()),
  )
  expect(found).toEqual([])
})

it('no text becomes markup', () => {
  const found = places(
    node =>
      (ts.isIdentifier(node) && markup.test(node.text)) ||
      (ts.isCallExpression(node) && /\bdocument\.write(ln)?$/.test(node.expression.getText())),
  )
  expect(found).toEqual([])
})

it('nothing verifies TLS less than Node, and no proxy comes from the environment', () => {
  const found = places(
    node =>
      (ts.isIdentifier(node) && /^(rejectUnauthorized|EnvHttpProxyAgent|ProxyAgent)$/.test(node.text)) ||
      (ts.isStringLiteralLike(node) && node.text === 'NODE_TLS_REJECT_UNAUTHORIZED'),
  )
  expect(found).toEqual([])
})

/**
 * What looks as if it could, and somebody has looked at: each repetition begins with a character that what stands before
 * it cannot be, so there is one way to match; the last one is about six characters of a password at most; and the first
 * is asked of JSON that was read, in which every string has its end.
 */
const looked = [
  String.raw`/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/gs`,
  String.raw`/^[^.]+(\.[^.]+)*$/`,
  String.raw`/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/`,
  String.raw`/^[A-Za-z0-9_$-]+(?:\.[A-Za-z0-9_$-]+)*$/`,
  '/^[a-z]+(_[a-z]+)*$/',
  String.raw`/^(.{1,6})\1+.{0,3}$/u`,
]

describe('regular expressions of the product', () => {
  const literals = sources.flatMap(file => nodesOf(file.tree).filter(ts.isRegularExpressionLiteral))

  it('nest no unbounded repetition and refer back to nothing: they take linear time', () => {
    expect(literals.length).toBeGreaterThan(100)
    expect([...new Set(literals.map(node => node.text).filter(backtracks))].sort()).toEqual(looked.sort())
  })

  it.each(['/(a+)+$/', String.raw`/^(\w*\s?)*$/`, '/(a|b*)*/', String.raw`/(.)\1/`])(
    '%s would be found',
    text => {
      expect(backtracks(text)).toBe(true)
    },
  )

  it.each(['/^[a-z]+(-[a-z]+)?$/', '/(ab)+/', '/[(+)*]+/', '/(a{2,3})*/'])('%s would not', text => {
    expect(backtracks(text)).toBe(false)
  })
})

/** A group that may repeat, with something in it that may repeat without an end; or a reference to a group. */
function backtracks(text: string): boolean {
  const bare = text.replaceAll(/\[(?:\\.|[^\]\\])*\]/g, 'x')
  if (/\\[1-9k]/.test(bare)) return true
  const plain = bare.replaceAll(/\\./g, 'x')
  for (let at = 0; at < plain.length; at += 1) {
    if (plain[at] !== '(') continue
    const end = endOfGroup(plain, at)
    const repeated = /^(?:[*+]|\{\d*,\})/.test(plain.slice(end + 1))
    if (repeated && /[*+]|\{\d*,\}/.test(plain.slice(at + 1, end))) return true
  }
  return false
}

function endOfGroup(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return at
  }
  return text.length
}
