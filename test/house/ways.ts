import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { nodesOf, parseSource, type SourceFile } from '../architecture/source-tree.ts'
import { repositoryRoot } from '../support/repository-root.ts'

/** A file on the way of a request, and what in it leads on: a declaration, or a member of one (`table.member`). */
export interface Step {
  file: string
  name: string
}

/** The way of a request, from its row in the table of endpoints to the SQL that writes its row in the database. */
export interface Way {
  what: string
  /** Files at most. */
  bound: number
  row: Step
  steps: readonly Step[]
  /** What the last step sends. */
  sql: RegExp
}

const row = (name: string): Step => ({
  file: 'shared/contract/endpoints/action-endpoints.ts',
  name: `actionEndpoints.${name}`,
})
const routed: readonly Step[] = [
  { file: 'api/http/mount.ts', name: 'mountEndpoints' },
  { file: 'api/handlers/handlers.ts', name: 'handlers' },
]
const ledger = 'shared/store/action/ledger.ts'

export const ways: readonly Way[] = [
  {
    what: 'files from route to row of a proposal',
    bound: 7,
    row: row('submit_action'),
    steps: [
      ...routed,
      { file: 'api/handlers/action-handlers.ts', name: 'actionHandlers.submit_action' },
      { file: 'shared/flow/action/submit-proposal.ts', name: 'submitProposal' },
      { file: 'shared/flow/action/seal-opening.ts', name: 'insertTogether' },
      { file: ledger, name: 'insertActions' },
    ],
    sql: /insert into actions\b/,
  },
  {
    what: 'files from route to row of an approval',
    bound: 9,
    row: row('approve_action'),
    steps: [
      ...routed,
      { file: 'api/handlers/action-handlers.ts', name: 'actionHandlers.approve_action' },
      { file: 'shared/flow/action/decide-approval.ts', name: 'approveAction' },
      { file: 'shared/flow/core/change-action.ts', name: 'changeTogether' },
      { file: ledger, name: 'appendChanges' },
    ],
    sql: /update actions\b/,
  },
]

/** Files that a reader opens on a way: that of the row in the table of endpoints, and those of the steps. */
export function filesOn({ row, steps }: Way): string[] {
  return [...new Set([row, ...steps].map(({ file }) => file))]
}

/** Where a way is not what it says: a step that nothing in the one before it names, or an end without its SQL. */
export function gapsOn(way: Way, read: (file: string) => SourceFile = readSource): string[] {
  const { row, steps, sql } = way
  const gaps = declarationOf(read(row.file), row.name) ? [] : [`${shown(row)} is not there`]
  for (const [at, step] of steps.entries()) {
    const reached = reachedFrom(read(step.file), step.name)
    const next = steps[at + 1]
    if (!reached) gaps.push(`${shown(step)} is not there`)
    else if (next && !reached.imports.has(`${next.file} ${next.name.split('.')[0]}`)) {
      gaps.push(`${shown(step)} does not lead to ${shown(next)}`)
    } else if (!next && !sql.test(reached.text)) gaps.push(`${shown(step)} has no SQL like ${sql}`)
  }
  return gaps
}

function shown({ file, name }: Step): string {
  return `${name} of ${file}`
}

function readSource(file: string): SourceFile {
  return parseSource(file, readFileSync(join(repositoryRoot, file), 'utf8'))
}

interface Reached {
  /** What is imported for it: a file and a name there. */
  imports: ReadonlySet<string>
  text: string
}

/** What a declaration names, itself or by other declarations of its file; null where it is not there. */
function reachedFrom(file: SourceFile, name: string): Reached | null {
  const first = declarationOf(file, name)
  if (!first) return null
  const found = new Set<ts.Node>([first])
  const imports = new Set<string>()
  const imported = importsOf(file)
  for (const node of found) {
    for (const { text } of nodesOf(node).filter(ts.isIdentifier)) {
      const declared = declarationOf(file, text)
      if (declared) found.add(declared)
      const from = imported.get(text)
      if (from) imports.add(from)
    }
  }
  return { imports, text: [...found].map(node => node.getText()).join('\n') }
}

/** A function or constant of the file, or a member of an object that a constant is. */
function declarationOf({ tree }: SourceFile, name: string): ts.Node | null {
  const [own = '', member] = name.split('.')
  const declared = tree.statements
    .flatMap<ts.FunctionDeclaration | ts.VariableDeclaration>(statement => {
      if (ts.isFunctionDeclaration(statement)) return [statement]
      return ts.isVariableStatement(statement) ? [...statement.declarationList.declarations] : []
    })
    .find(declaration => declaration.name?.getText() === own)
  if (!declared || member === undefined) return declared ?? null
  const members = nodesOf(declared).filter(ts.isObjectLiteralElementLike)
  return members.find(one => one.name?.getText() === member) ?? null
}

/** By the name that it has here, what is imported: the file and the name there. */
function importsOf({ path, tree }: SourceFile): Map<string, string> {
  const imported = new Map<string, string>()
  for (const node of tree.statements.filter(ts.isImportDeclaration)) {
    const from = (node.moduleSpecifier as ts.StringLiteral).text
    const bindings = node.importClause?.namedBindings
    if (!from.startsWith('.') || !bindings || !ts.isNamedImports(bindings)) continue
    const file = normalize(join(dirname(path), from))
    for (const { name, propertyName } of bindings.elements) {
      imported.set(name.text, `${file} ${(propertyName ?? name).text}`)
    }
  }
  return imported
}
