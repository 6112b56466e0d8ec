import ts from 'typescript'
import { actionStatusSchema } from '../../shared/contract/action/action-status.ts'

/** Something that stands in one place only. */
export interface Home {
  rule: string
  /** The files where it may stand; null: nowhere in this form. */
  home: RegExp | null
  finds(node: ts.Node): boolean
  advice: string
  /** One line each that the rule must find, and must not. */
  refused: readonly string[]
  allowed: readonly string[]
}

export const homes: readonly Home[] = [
  {
    rule: 'clock',
    home: /^(shared\/client\/platform|(shared\/runtime|api\/web\/lib)\/clock)\.ts$/,
    finds: readsClock,
    advice: 'take the time from shared/runtime/clock.ts, and order from the database',
    refused: ['new Date()', 'Date()', 'Date.now()', 'performance.now()', 'process.hrtime.bigint()'],
    allowed: ['new Date(value)', 'Date.parse(text)', 'order.now()', '// Date.now()', "'Date.now()'"],
  },
  {
    rule: 'randomness',
    home: /^shared\/(client\/platform|runtime\/ids)\.ts$/,
    finds: drawsAtRandom,
    advice: 'take ids, names, salts and jitter from shared/runtime/ids.ts',
    refused: [
      'Math.random()',
      "import { randomBytes } from 'node:crypto'",
      "import { webcrypto as web } from 'node:crypto'",
      'crypto.randomUUID()',
      'crypto.getRandomValues(bytes)',
    ],
    allowed: [
      "import { createHash } from 'node:crypto'",
      'ids.random32()',
      "import { random32 } from './ids.ts'",
    ],
  },
  {
    rule: 'environment',
    home: /^shared\/runtime\/settings\/config\.ts$/,
    finds: readsEnvironment,
    advice: 'add a row to shared/runtime/settings/settings.ts and read it from the configuration',
    refused: [
      'process.env.HOME',
      "process['env']",
      "import { env } from 'node:process'",
      'const { env } = process',
    ],
    allowed: ['process.argv', 'settings.env', 'process.exit(1)'],
  },
  {
    rule: 'sql',
    home: /^shared\/store\//,
    finds: saysSql,
    advice: 'write the query in shared/store and export a function that says what it is for',
    refused: [
      'sql`x`',
      'reader.sql<Row[]>`x`',
      'sql.unsafe(text)',
      'writer.db.insert(tenants)',
      "query('select name from tenants')",
      `query(\`insert into \${table} values (1)\`)`,
      "query('update tenants set name = 1')",
      "query('delete from tenants')",
      "query('GRANT USAGE ON SCHEMA action_gate TO somebody')",
    ],
    allowed: [
      'cache.delete(key)',
      'hash.update(text)',
      "say('Revoke a key on every process.')",
      "say('update the policy set')",
    ],
  },
  {
    rule: 'planner-spelling',
    home: /^shared\/store\/postgres\/planner\.ts$/,
    finds: speaksToThePlanner,
    advice: 'say it plainly, or give it a name, a reason and a figure in shared/store/postgres/planner.ts',
    refused: [
      "sql`select from jobs where state between 'pending' and 'pending'`",
      'query("select (state <> \'done\') is true from jobs")',
      `query(\`select * from (\${rows} offset 0) x\`)`,
      "query('select * from jobs where (a, b) in (select a, b from c) IS NOT FALSE')",
      "query('select from jobs where action_id || \\'\\' = $1')",
      "query('select from jobs where next_run_at + 0 = $1')",
    ],
    allowed: [
      "sql`select from jobs where at between '1' and '2'`",
      'sql`select * from a offset $2::int4 - 1`',
      'sql`select * from a left join b on true`',
      "const path = 'offset 0 of a file'.length + 0",
      "say('What this says is true.')",
    ],
  },
  {
    rule: 'ledger-writer',
    home: /^shared\/store\/action\/ledger\.ts$/,
    finds: writesLedger,
    advice:
      'actions, their events, payloads and jobs are written by shared/store/action/ledger.ts only: hand it a change',
    refused: [
      'sql`update actions set status = 1`',
      `sql\`with a as (insert into action_gate.action_events (kind) values (\${kind})) select 1\``,
      "query('DELETE FROM event_payloads')",
      'sql`update only "execution_jobs" set state = 1`',
      'db.insert(executionJobs)',
      'db.update(schema.actions)',
    ],
    allowed: [
      'sql`select status from actions for update of actions`',
      'sql`update actions_seen set status = 1`',
      'db.insert(tenants)',
      'hash.update(actions.length)',
    ],
  },
  {
    rule: 'status',
    home: /^shared\/contract\/examples\//,
    finds: setsStatus,
    advice: 'ask shared/lifecycle/decide.ts for a change; only its table knows which status comes next',
    refused: [
      "const change = { to: 'executed' }",
      "const row = { status: 'denied' as const }",
      "action.status = 'executed'",
      "sql`update actions set held_until = null, status = 'denied' where true`",
    ],
    allowed: [
      "if (action.status === 'executed') stop()",
      "const answer = { status: 'ok' }",
      "sql`select 1 from actions where status = 'denied'`",
      "sql`update actions set held_until = null where status = 'denied'`",
    ],
  },
]

function readsClock(node: ts.Node): boolean {
  if (ts.isNewExpression(node)) return node.expression.getText() === 'Date' && !node.arguments?.length
  if (ts.isCallExpression(node)) return node.expression.getText() === 'Date'
  return (
    ts.isPropertyAccessExpression(node) &&
    /^(Date\.now|performance\.now|process\.hrtime)$/.test(node.getText())
  )
}

function drawsAtRandom(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) {
    return /^(Math\.random|(globalThis\.)?crypto\.(random\w*|getRandomValues))$/.test(node.getText())
  }
  if (!ts.isImportSpecifier(node) || !/^'(node:)?crypto'$/.test(moduleOf(node))) return false
  return /^(random\w*|getRandomValues|webcrypto)$/.test((node.propertyName ?? node.name).getText())
}

function readsEnvironment(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.getText() === 'process.env'
  if (ts.isElementAccessExpression(node)) return /^process\[.env.\]$/.test(node.getText())
  if (ts.isImportDeclaration(node)) return /^'(node:)?process'$/.test(node.moduleSpecifier.getText())
  const taken = ts.isVariableDeclaration(node) && node.initializer?.getText() === 'process'
  return taken && ts.isObjectBindingPattern(node.name)
}

function moduleOf(node: ts.ImportSpecifier): string {
  return node.parent.parent.parent.moduleSpecifier.getText()
}

/** Statements as the store writes them: a first word in one case, which a sentence for people does not have. */
const statements = [
  /^select\s[^;]*\sfrom\s+\w+(\s*$|\s+(where|join|order|limit|for)\b)/i,
  /^(insert\s+into|delete\s+from)\s/i,
  /^update\s+\S+\s+set\s+\S+\s*=/i,
  /^(create|alter|drop)\s+(table|index|schema|role|sequence|function|trigger)\s/i,
  /^(grant|revoke)\s[^;]*\s(on|to|from)\s/i,
]

function saysSql(node: ts.Node): boolean {
  if (ts.isTaggedTemplateExpression(node)) return /(^|\.)sql$/.test(node.tag.getText())
  if (ts.isCallExpression(node)) return /\.unsafe$/.test(node.expression.getText())
  if (ts.isPropertyAccessExpression(node)) return /^(db|sql)$/.test(node.name.text)
  if (!isText(node)) return false
  const text = textOf(node).trim()
  return /^([a-z]+|[A-Z]+)\s/.test(text) && statements.some(statement => statement.test(text))
}

/** Conditions that mean nothing, and brackets that hold something off: they give the same rows from another plan. */
const plannerSpellings = [
  /\bbetween\s+('\w+'|\$\d+|\d+)\s+and\s+\1/i,
  /\)\s+is\s+(not\s+)?(true|false)\b/i,
  /\boffset\s+0\s*(\)|$)/i,
  /\w\s*\|\|\s*''/,
  /\b[a-z_]+\s*\+\s*0(?![\w.])/i,
]

function speaksToThePlanner(node: ts.Node): boolean {
  return isText(node) && plannerSpellings.some(spelling => spelling.test(textOf(node)))
}

const ledgerTables = ['actions', 'action_events', 'event_payloads', 'execution_jobs']
const ledgerWrite = new RegExp(
  `\\b(insert\\s+into|update|delete\\s+from|truncate|merge\\s+into)\\s+(only\\s+)?("?action_gate"?\\.)?"?(${ledgerTables.join('|')})"?(?!\\w)`,
  'i',
)

function writesLedger(node: ts.Node): boolean {
  if (ts.isCallExpression(node)) {
    const table = node.arguments[0]?.getText() ?? ''
    const writes = /\.(insert|update|delete)$/.test(node.expression.getText())
    return writes && /^(\w+\.)?(actions|actionEvents|eventPayloads|executionJobs)$/.test(table)
  }
  return isText(node) && ledgerWrite.test(textOf(node))
}

const statuses: ReadonlySet<string> = new Set(actionStatusSchema.options)
const statusNames = /^(to|status|status_to|action_status)$/
const setsStatusInSql = /\bset\b((?!\bwhere\b|\bfrom\b)[^;])*\bstatus(_to)?\s*=\s*'/i

function setsStatus(node: ts.Node): boolean {
  if (ts.isPropertyAssignment(node))
    return statusNames.test(node.name.getText()) && isStatus(node.initializer)
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
    return (
      ts.isPropertyAccessExpression(node.left) &&
      statusNames.test(node.left.name.text) &&
      isStatus(node.right)
    )
  }
  return isText(node) && setsStatusInSql.test(textOf(node))
}

function isStatus(node: ts.Expression): boolean {
  if (ts.isAsExpression(node)) return isStatus(node.expression)
  return ts.isStringLiteralLike(node) && statuses.has(node.text)
}

function isText(node: ts.Node): node is ts.StringLiteralLike | ts.TemplateExpression {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
}

function textOf(node: ts.StringLiteralLike | ts.TemplateExpression): string {
  return ts.isTemplateExpression(node) ? node.getText().slice(1, -1) : node.text
}
