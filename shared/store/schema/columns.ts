import { customType, pgSchema, timestamp } from 'drizzle-orm/pg-core'

/** The one schema of every table, owned by a role that cannot log in. */
export const schema = pgSchema('action_gate')

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** Returns a column of UTC with milliseconds, by the database's clock unless a statement says otherwise. */
export const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })
