/** A statement that older processes would not survive, or that would hold the tables up. */
export interface Finding {
  rule: string
  statement: string
}

/** A statement that is let through, by its beginning, and why that does no harm. */
export interface Permit {
  migration: string
  statement: string
  reason: string
}

/** The last of those that make the schema; every later one is applied under running processes. */
export const lastOfBaseline = '0002_guards'

/** Each migration with the beginning of the SHA-256 of its SQL. */
export const neverEdited: Readonly<Record<string, string>> = {
  '0000_legal_step': '058c2ca7affa164e',
  '0001_tables': 'afd95babe022f68b',
  '0002_guards': '4ec2c372de88446b',
  '0003_called_back': 'f976acc7021c5e3f',
  '0004_inbox_and_payloads': '9d323746e517fe3e',
  '0005_groups_of_an_organization': '27e6ba73fdeb40e4',
  '0006_held_in_time': 'f8b025925e8cb194',
  '0007_one_guard_of_decisions': '59fa2c8b565f5f73',
  '0008_notices_tell_values': 'dc791da4d2073906',
  '0009_password_resets': '5390dbf8a1280698',
  '0010_rights_of_password_resets': '128bc8eaa018cd7a',
}

/** What a rule refuses and somebody has thought about. One that nothing needs any more fails the test. */
export const permits: readonly Permit[] = ['refuse_off_route', 'refuse_unlinked', 'refuse_outside_edit'].map(
  name => ({
    migration: '0007_one_guard_of_decisions',
    statement: `drop function action_gate.${name}()`,
    reason: 'only its trigger called it, which one for all decisions replaces',
  }),
)

interface Rule {
  name: string
  /** Refused wherever it stands. */
  refused?: RegExp
  /** Refused where the table was there before this migration; the first group is its name. */
  refusedOnOld?: RegExp
  advice: string
}

const table = String.raw`(?:only )?(?:"?action_gate"?\.)?"?(\w+)"?`

export const rules: readonly Rule[] = [
  {
    name: 'nothing is taken away',
    refused: /^(drop (table|schema|sequence|function|view|type)|alter table .* drop column|truncate)\b/,
    advice: 'stop using it, release, and take it away in a later release with a permit',
  },
  {
    name: 'nothing is renamed',
    refused: /^alter .*\brename\b/,
    advice:
      'add the new one, write both, move what is there, read the new one, and take the old one away later',
  },
  {
    name: 'no right is taken',
    refused: /^(revoke\b|drop (role|policy))/,
    advice: 'older processes still need it: take it in a later release with a permit',
  },
  {
    name: 'no type is changed',
    refusedOnOld: new RegExp(`^alter table ${table} alter (?:column )?"?\\w+"? (?:set data )?type\\b`),
    advice: 'it rewrites the table under an exclusive lock: add a column of the new type',
  },
  {
    name: 'no value is demanded that older processes do not write',
    refusedOnOld: new RegExp(
      `^alter table ${table} (?:add column (?!.*\\bdefault\\b).*\\bnot null\\b|alter (?:column )?"?\\w+"? set not null)`,
    ),
    advice: 'add it with a default or without NOT NULL; demand it when every process writes it',
  },
  {
    name: 'no table is read whole under a lock',
    refusedOnOld: new RegExp(
      `^alter table ${table} add (?:constraint "?\\w+"? )?(?:check|foreign key|unique|primary key|exclude)\\b(?!.*\\bnot valid\\b)`,
    ),
    advice:
      'add it NOT VALID and validate it in a later statement of its own, or say in a permit why the table is small',
  },
  {
    name: 'no index is made under a lock',
    refusedOnOld: new RegExp(
      `^create (?:unique )?index (?!concurrently)(?:if not exists )?"?\\w+"? on ${table}`,
    ),
    advice:
      'a migration runs in a transaction, where CONCURRENTLY cannot: have it made before, CREATE INDEX CONCURRENTLY, and repeat it here with IF NOT EXISTS and a permit; or say in a permit why the table is small',
  },
]

/** What of a migration breaks a rule. Tables that it makes itself are nobody's yet. */
export function judgeMigration(text: string): Finding[] {
  const statements = statementsOf(text)
  const made = new Set(
    statements.flatMap(
      one => /^create table (?:if not exists )?(?:"?action_gate"?\.)?"?(\w+)"?/.exec(one)?.[1] ?? [],
    ),
  )
  return statements.flatMap(statement =>
    rules
      .filter(({ refused, refusedOnOld }) => {
        const old = refusedOnOld?.exec(statement)?.[1]
        return refused?.test(statement) || (old !== undefined && !made.has(old))
      })
      .map(({ name }) => ({ rule: name, statement })),
  )
}

/** Statements in small letters on one line each, without comments; what stands inside a DO block counts like the rest. */
export function statementsOf(text: string): string[] {
  return text
    .replaceAll(/^\s*--(?!>).*$/gm, '')
    .split(/--> statement-breakpoint|;/)
    .map(statement => statement.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .map(statement => statement.replace(/^(do \$\$ )?(declare .* )?begin /, ''))
    .filter(statement => statement !== '')
}
