import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'
import { short } from '../support/short.ts'
import { judgeMigration, lastOfBaseline, neverEdited, permits, rules } from './migration-rules.ts'

const folder = join(repositoryRoot, 'drizzle')
const read = (tag: string) => readFileSync(join(folder, `${tag}.sql`), 'utf8')
const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
  entries: { idx: number; tag: string; when: number }[]
}
const tags = journal.entries.map(({ tag }) => tag)
const later = tags.slice(tags.indexOf(lastOfBaseline) + 1)
const permitted = (migration: string, statement: string) =>
  permits.some(
    permit => permit.migration === migration && statement.startsWith(permit.statement.toLowerCase()),
  )

describe('migrations under running processes', () => {
  test('follow the baseline in the order of their times', () => {
    expect(tags).toContain(lastOfBaseline)
    expect(journal.entries.map(({ when }) => when)).toEqual(
      journal.entries.map(({ when }) => when).sort((a, b) => a - b),
    )
  })

  // A start compares them: a database that has an edited migration is one that other migrations made.
  test('are never edited: what changes is a migration of its own', () => {
    const hashes = tags.map(tag => [tag, createHash('sha256').update(read(tag)).digest('hex').slice(0, 16)])
    expect(hashes).toEqual(Object.entries(neverEdited))
  })

  test('keep older processes at work', () => {
    const refused = later.flatMap(tag =>
      judgeMigration(read(tag))
        .filter(({ statement }) => !permitted(tag, statement))
        .map(({ rule, statement }) => `${tag}: ${rule}: ${statement.slice(0, 120)}`),
    )
    expect(refused, rules.map(({ name, advice }) => `${name}: ${advice}`).join('\n')).toEqual([])
  })

  test('need every permit that they have', () => {
    const needed = later.flatMap(tag =>
      judgeMigration(read(tag)).map(({ statement }) => ({ tag, statement })),
    )
    const idle = permits.filter(
      ({ migration, statement }) =>
        !needed.some(one => one.tag === migration && one.statement.startsWith(statement.toLowerCase())),
    )
    expect(idle).toEqual([])
  })
})

describe('the rules', () => {
  const t = '"action_gate"."actions"'

  it.each(
    [
      ['nothing is taken away', 'DROP TABLE action_gate.freezes'],
      ['nothing is taken away', `ALTER TABLE ${t} DROP COLUMN "operation"`],
      ['nothing is taken away', 'TRUNCATE action_gate.freezes'],
      ['nothing is renamed', `ALTER TABLE ${t} RENAME COLUMN a TO b`],
      ['nothing is renamed', `ALTER TABLE ${t} RENAME TO deeds`],
      ['no right is taken', `REVOKE SELECT ON ${t} FROM action_gate_runtime`],
      ['no type is changed', `ALTER TABLE ${t} ALTER COLUMN "status" SET DATA TYPE integer`],
      [
        'no value is demanded that older processes do not write',
        `ALTER TABLE ${t} ADD COLUMN "x" text NOT NULL`,
      ],
      [
        'no value is demanded that older processes do not write',
        `ALTER TABLE ${t} ALTER COLUMN "x" SET NOT NULL`,
      ],
      ['no table is read whole under a lock', `ALTER TABLE ${t} ADD CONSTRAINT "c" CHECK (a > 0)`],
      [
        'no table is read whole under a lock',
        `ALTER TABLE ${t} ADD CONSTRAINT "c" FOREIGN KEY (a) REFERENCES b(a)`,
      ],
      ['no index is made under a lock', `CREATE INDEX "i" ON ${t} USING btree ("a")`],
      ['no index is made under a lock', `CREATE UNIQUE INDEX IF NOT EXISTS i ON ${t} (a)`],
      ['nothing is taken away', 'DO $$\nBEGIN\n  DROP TABLE action_gate.freezes;\nEND $$;'],
    ].map(([rule, statement]) => [short(statement, 60), rule, statement]),
  )('%s is found', (_, rule, statement) => {
    expect(judgeMigration(`-- a comment\nSELECT 1;--> statement-breakpoint\n${statement};`)).toMatchObject([
      { rule },
    ])
  })

  it.each(
    [
      `ALTER TABLE ${t} ADD COLUMN "x" text`,
      `ALTER TABLE ${t} ADD COLUMN "x" boolean DEFAULT false NOT NULL`,
      `ALTER TABLE ${t} ADD CONSTRAINT "c" CHECK (a > 0) NOT VALID`,
      `ALTER TABLE ${t} VALIDATE CONSTRAINT "c"`,
      `GRANT SELECT ON ${t} TO action_gate_runtime`,
      'CREATE TABLE "action_gate"."new" ("a" text NOT NULL); CREATE INDEX i ON "action_gate"."new" ("a"); ALTER TABLE "action_gate"."new" ADD CONSTRAINT "c" UNIQUE("a")',
      '-- DROP TABLE x',
    ].map(statement => [short(statement, 60), statement]),
  )('leave %s', (_, statement) => {
    expect(judgeMigration(statement)).toEqual([])
  })
})
