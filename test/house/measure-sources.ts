import ts from 'typescript'
import { actionStatuses } from '../../shared/contract/action/action-status.ts'
import { lineOf, nodesOf, type SourceFile } from '../architecture/source-tree.ts'

/**
 * Functions with statements that have more than `max` lines of their own: those of functions within them count there, and
 * blank lines and comments nowhere.
 */
export function functionsOver(files: readonly SourceFile[], max: number): string[] {
  return files.flatMap(file =>
    nodesOf(file.tree)
      .filter(hasStatements)
      .map(node => ({ at: lineOf(file, node.getStart()), lines: ownLines(node) }))
      .filter(({ lines }) => lines > max)
      .map(({ at, lines }) => `${file.path}:${at}: ${lines}`),
  )
}

function hasStatements(node: ts.Node): boolean {
  return ts.isFunctionLike(node) && 'body' in node && !!node.body && ts.isBlock(node.body as ts.Node)
}

function ownLines(node: ts.Node): number {
  const within = nodesOf(node).filter(one => one !== node && hasStatements(one))
  const outermost = within.filter(
    one => !within.some(other => other !== one && other.pos <= one.pos && one.end <= other.end),
  )
  // The line on which a function begins belongs to the one around it.
  return outermost.reduce((sum, one) => sum - fullLines(one.getText()) + 1, fullLines(node.getText()))
}

const statuses: ReadonlySet<string> = new Set(actionStatuses)
const rowsMin = 5

/** Where steps from one status to another are written down: statements with several rows of two statuses each. */
export function stateTables(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ tree }) => tree.statements.some(statement => rowsOf(statement) >= rowsMin))
    .map(({ path }) => path)
}

/** Rows are arrays, and properties that have a status as their name. */
function rowsOf(statement: ts.Statement): number {
  return nodesOf(statement).filter(node => {
    if (ts.isArrayLiteralExpression(node)) return ts.isArrayLiteralExpression(node.parent) && isStep(node)
    return ts.isPropertyAssignment(node) && statuses.has(node.name.getText()) && isStep(node)
  }).length
}

function isStep(node: ts.Node): boolean {
  const texts = nodesOf(node).flatMap(one =>
    ts.isStringLiteral(one) || ts.isIdentifier(one) ? [one.text] : [],
  )
  return texts.filter(text => statuses.has(text)).length >= 2
}

function fullLines(text: string): number {
  return text.split('\n').filter(line => !/^\s*(\/\*|\*|\/\/|$)/.test(line)).length
}
