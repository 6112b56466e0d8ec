/** A migration of this program: its name, when it was made (ms since 1970) and the SHA-256 of its SQL. */
export interface Migration {
  tag: string
  when: number
  hash: string
}

/** A migration that a database has. */
export interface AppliedMigration {
  created_at: string
  hash: string
}

/** How a database stands to the migrations of this program. */
export interface SchemaState {
  /** What it lacks, by name. */
  missing: string[]
  /** How many it has that are newer than this program. */
  newer: number
}

/** A database that was reached and cannot be used: the reason says all, and address and login are right. */
export class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase'
}

/**
 * Compare what a database has with what this program knows. A newer database is used as it is, since its migrations leave
 * older processes at work. One that was made by other migrations is refused by name: a later one would fail half way, or
 * change what it was not written for.
 */
export function schemaState(applied: readonly AppliedMigration[], known: readonly Migration[]): SchemaState {
  const had = new Map(applied.map(({ created_at, hash }) => [Number(created_at), hash]))
  const newestHad = Math.max(0, ...had.keys())
  const newestKnown = Math.max(0, ...known.map(({ when }) => when))
  const times = new Set(known.map(({ when }) => when))
  const foreign = [...had.keys()].filter(when => !times.has(when) && when < newestKnown)
  const remade = known.filter(({ when, hash }) => had.has(when) && had.get(when) !== hash)
  const skipped = known.filter(({ when }) => !had.has(when) && when < newestHad)
  const differences = [
    ...foreign.map(when => `one of ${new Date(when).toISOString()} is unknown here`),
    ...remade.map(({ tag }) => `${tag} has other SQL`),
    ...skipped.map(({ tag }) => `${tag} was left out`),
  ]
  if (differences.length > 0)
    throw new UnfitDatabase(
      `its schema was made by other migrations than those of this program: ${differences.join('; ')}. ` +
        'Use the program that made it, or a database that this one makes',
    )
  return {
    missing: known.filter(({ when }) => when > newestHad).map(({ tag }) => tag),
    newer: [...had.keys()].filter(when => when > newestKnown).length,
  }
}
