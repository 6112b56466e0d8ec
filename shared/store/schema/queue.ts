import { integer } from 'drizzle-orm/pg-core'
import { schema, time } from './columns.ts'

/** What the queue was in a minute: one row for each, of the worker that swept then, kept for a day. */
export const queueSamples = schema.table('queue_samples', {
  /** The beginning of the minute. */
  at: time('at').primaryKey(),
  due: integer().notNull(),
  later: integer().notNull(),
  leased: integer().notNull(),
  unknown: integer().notNull(),
  held: integer().notNull(),
  workers: integer().notNull(),
})
