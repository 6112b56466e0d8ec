import ts from 'typescript'

/** One small change of a source that still compiles as JavaScript. */
export interface Mutant {
  file: string
  /** Of the first character that changes; both from 1. */
  line: number
  column: number
  from: string
  to: string
  start: number
  /** The whole first line, which names the mutant in lists, and where in it the change begins. */
  text: string
  place: number
}

/** Every mutant of a source, in the order of its text: found by the syntax tree, and in statements of SQL by their words. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const changes: Change[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return
    changes.push(...changesOf(node, tree))
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return changes
    .sort((one, other) => one.start - other.start)
    .map(({ start, from, to }) => {
      const { line, character } = tree.getLineAndCharacterOfPosition(start)
      const whole = source.split('\n')[line] ?? ''
      const place = character - (whole.length - whole.trimStart().length)
      return { file, line: line + 1, column: character + 1, from, to, start, text: whole.trim(), place }
    })
}

/** The source with a mutant in it. */
export function mutated(source: string, { start, from, to }: Mutant): string {
  if (!source.startsWith(from, start)) throw new Error(`there is no ${from} at ${start}`)
  return source.slice(0, start) + to + source.slice(start + from.length)
}

interface Change {
  start: number
  from: string
  to: string
}

const swapped: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
])

function changesOf(node: ts.Node, tree: ts.SourceFile): Change[] {
  const start = node.getStart(tree)
  const from = node.getText(tree)
  if (ts.isBinaryExpression(node)) return swappedOperator(node, tree)
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [{ start, from: '!', to: '' }]
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ start, from, to: 'false' }]
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ start, from, to: 'true' }]
  if (ts.isNumericLiteral(node)) return [{ start, from, to: `(${from} + 1)` }]
  if (ts.isIfStatement(node)) return [negated(node.expression, tree)]
  if (ts.isConditionalExpression(node)) return [negated(node.condition, tree)]
  if (isSqlPart(node)) return changesOfSql(from, start)
  return []
}

function swappedOperator({ operatorToken }: ts.BinaryExpression, tree: ts.SourceFile): Change[] {
  const to = swapped.get(operatorToken.kind)
  return to === undefined
    ? []
    : [{ start: operatorToken.getStart(tree), from: operatorToken.getText(tree), to }]
}

function negated(condition: ts.Expression, tree: ts.SourceFile): Change {
  const from = condition.getText(tree)
  return { start: condition.getStart(tree), from, to: `!(${from})` }
}

function isSqlPart(node: ts.Node): boolean {
  return (
    ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node)
  )
}

/** Words of SQL and what stands for them; the order of `order by … limit` is turned around either way. */
const sqlChanges: readonly (readonly [RegExp, string])[] = [
  [/ desc(?= limit\b)/g, ''],
  [/(?<=order by [\w.]+)(?= limit 1\b)/g, ' desc'],
  [/(?<!not )\bexists(?= \()/g, 'not exists'],
  [/\bnot exists(?= \()/g, 'exists'],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
  [/<=/g, '<'],
  [/(?<![-=])>=/g, '>'],
  [/(?<= )<(?= )/g, '<='],
  [/(?<= )>(?= )/g, '>='],
  [/(?<= )or(?= )/g, 'and'],
  [/(?<=\n? )and(?= not )/g, 'or'],
  [/(?<=\d )\+(?= \d)|(?<=\w )\+(?= \w)/g, '-'],
]

function changesOfSql(text: string, start: number): Change[] {
  if (!/\b(select|order by|where)\b/.test(text)) return []
  return sqlChanges.flatMap(([pattern, to]) =>
    [...text.matchAll(pattern)].map(match => ({ start: start + match.index, from: match[0], to })),
  )
}
