import { customType, pgSchema, timestamp } from 'drizzle-orm/pg-core'

/** Every table of the product stands in one schema, owned by a role that cannot log in. */
export const schema = pgSchema('action_gate')

/** Raw bytes. */
export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** UTC with milliseconds, by the database's clock unless a statement says otherwise. */
export const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })
