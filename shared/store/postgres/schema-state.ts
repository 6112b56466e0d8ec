/** A migration of this program: its name, its time (ms since 1970) and the SHA-256 of its SQL. */
export interface Migration {
  tag: string
  when: number
  hash: string
}

export interface AppliedMigration {
  created_at: string
  hash: string
}

export interface SchemaState {
  missing: string[]
  /** The number of applied migrations that are newer than this program. */
  newer: number
}

/** An error that says why a database cannot be used although the login was accepted. */
export class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase'
}

/**
 * Compares the migrations of a database with those of this program. A newer database is accepted, because its
 * migrations keep older processes working. A database made by other migrations is refused, because a later
 * migration could fail half way or change tables that it was not written for.
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
