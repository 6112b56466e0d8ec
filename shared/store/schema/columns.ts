import { customType, pgSchema, timestamp } from 'drizzle-orm/pg-core'

/** The database schema of all tables. Its owner is a role that cannot log in. */
export const schema = pgSchema('action_gate')

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })
