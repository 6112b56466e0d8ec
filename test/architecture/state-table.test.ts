import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { describe, expect, test } from 'vitest'
import { transitions } from '../../shared/lifecycle/transition.ts'
import * as schema from '../../shared/store/schema/schema.ts'
import { repositoryRoot } from '../support/repository-root.ts'

type Snapshot = ReturnType<typeof generateDrizzleJson>

const migrations = (readJson('drizzle/meta/_journal.json') as { entries: { tag: string }[] }).entries.map(
  ({ tag }) => ({
    tag,
    sql: readText(`drizzle/${tag}.sql`),
    snapshot: readJson(`drizzle/meta/${tag.slice(0, 4)}_snapshot.json`) as Snapshot,
  }),
)
const constraint = 'CONSTRAINT action_events_legal_transition CHECK'
const newest = migrations.at(-1)?.snapshot

describe('the database knows the same state machine', () => {
  test('the newest migration gives the domain of legal steps the table’s transitions', () => {
    const check = migrations
      .findLast(({ sql }) => sql.includes(constraint))
      ?.sql.split(constraint)
      .at(-1)
    const rows = (check?.split('\n')[0] ?? '').matchAll(/[{,](\w*)>(\w+)>(\w+)/g)
    const checked = [...rows].map(([, from, event, to]) => `${from} ${event} ${to}`)
    const wanted = new Set(transitions.map(({ from, event, to }) => `${from ?? ''} ${event} ${to}`))
    const advice = 'write a migration that gives the domain legal_step a check with these steps'
    expect(checked.sort(), advice).toEqual([...wanted].sort())
  })
})

describe('the migrations make the schema', () => {
  test('nothing is left to generate', async () => {
    const statements = await statementsBetween(newest, generateDrizzleJson({ ...schema }, newest?.id))
    expect(statements, 'run "npm run migration" and commit what it makes').toEqual([])
  })

  test.each(migrations.map(({ tag }, at) => ({ tag, at })))(
    '$tag is what its snapshot says',
    async ({ at }) => {
      const [from, to] = [migrations[at - 1]?.snapshot, migrations[at]?.snapshot]
      const renames = renamesOf(to)
      const wanted = [...renames.map(statementOf), ...(await statementsBetween(renamed(from, renames), to))]
      const written = statementsIn(migrations[at]?.sql ?? '')
      const advice =
        'change the schema and run "npm run migration"; write by hand what drizzle-kit cannot say, apart'
      if (wanted.length > 0) expect(written, advice).toEqual(wanted)
      else expect(written.filter(changesTables), advice).toEqual([])
    },
  )

  test('a statement that changes tables is told from others', () => {
    const changing = ['CREATE TABLE a (b text)', 'alter table a add column b text', 'DROP INDEX a']
    const others = [
      'GRANT SELECT ON a TO b',
      'ALTER TABLE a ENABLE ALWAYS TRIGGER b',
      'ALTER TABLE a SET (fillfactor = 90)',
      'ALTER TABLE a ALTER COLUMN b SET STORAGE MAIN;',
      '-- alter table a\nCREATE TRIGGER c',
    ]
    expect([...changing, ...others].filter(changesTables)).toEqual(changing)
  })
})

interface Rename {
  table: string
  from: string
  to: string
}

/** The columns that a migration renames, as drizzle-kit keeps them in its snapshot. */
function renamesOf(snapshot: Snapshot | undefined): Rename[] {
  return Object.entries((snapshot?._meta.columns ?? {}) as Record<string, string>).map(([old, fresh]) => {
    const [, table = '', from = ''] = namesIn(old)
    return { table, from, to: namesIn(fresh)[2] ?? '' }
  })
}

function namesIn(quoted: string): string[] {
  return quoted.split('.').map(name => name.replaceAll('"', ''))
}

function statementOf({ table, from, to }: Rename): string {
  return `ALTER TABLE "action_gate"."${table}" RENAME COLUMN "${from}" TO "${to}";`
}

/** The snapshot with the new names, so that drizzle-kit need not ask what became of a column. */
function renamed(snapshot: Snapshot | undefined, renames: readonly Rename[]): Snapshot | undefined {
  const copy = structuredClone(snapshot)
  for (const { table, from, to } of renames) {
    const columns = copy?.tables[`action_gate.${table}`]?.columns
    const column = columns?.[from]
    if (!columns || !column) throw new Error(`no column ${table}.${from} to rename`)
    Reflect.deleteProperty(columns, from)
    columns[to] = { ...column, name: to }
  }
  return copy
}

/** What drizzle-kit would write to come from one snapshot to another; the schema itself is made by the migrator. */
async function statementsBetween(from: Snapshot | undefined, to: Snapshot | undefined): Promise<string[]> {
  const statements = await generateMigration(from ?? generateDrizzleJson({}), to ?? generateDrizzleJson({}))
  return statements.map(tidy).filter(statement => statement !== 'CREATE SCHEMA "action_gate";')
}

function statementsIn(sql: string): string[] {
  return sql.split('--> statement-breakpoint').map(tidy)
}

/** A check that takes more than the one before it need not be held against old rows. */
function tidy(statement: string): string {
  return statement.trim().replace(/\) NOT VALID;$/, ');')
}

function changesTables(statement: string): boolean {
  const bare = statement.replace(/^--.*$/gm, '').trim()
  return (
    /^(create|alter|drop)\s+(table|index|sequence|type|view)\b/i.test(bare) &&
    !/\sTRIGGER\s|\sSET (\([^)]*\)|STORAGE \w+);?$/i.test(bare)
  )
}

function readText(path: string): string {
  return readFileSync(join(repositoryRoot, path), 'utf8')
}

function readJson(path: string): unknown {
  return JSON.parse(readText(path))
}
