/** The schema of the database, with its guards. */
export const baseline = {
  steps: 'drizzle/0000_legal_step.sql',
  tables: 'drizzle/0001_tables.sql',
  guards: 'drizzle/0002_guards.sql',
}

/** One exact replacement in a file of the repository; `from` stands there exactly once. */
export interface Edit {
  file: string
  from: string
  to: string
}

/** A guard of the product, how it is taken away, and the tests that must then fail. */
export interface Guard {
  name: string
  /** Numbers of specification.md#invariants. */
  invariants: readonly number[]
  protects: string
  edits: readonly Edit[]
  tests: readonly string[]
  /** Of these files, only the tests whose full name matches this pattern: where the rest would take long. */
  named?: string
}

/** The text with the replacement made; throws where what is to be replaced does not stand there exactly once. */
export function withEdit(text: string, { file, from, to }: Edit): string {
  const [before, after, ...more] = text.split(from)
  if (before === undefined || after === undefined || more.length > 0) {
    const count = text.split(from).length - 1
    throw new Error(`${file}: this must stand there once, and does ${count} times:\n${from}`)
  }
  return before + to + after
}
