import { text } from 'drizzle-orm/pg-core'
import { schema, time } from './columns.ts'

/** Workers that run or ran not long ago: a name drawn at each start, and nothing about the machine. */
export const workers = schema.table('workers', {
  worker_id: text().primaryKey(),
  started_at: time('started_at').notNull().defaultNow(),
  seen_at: time('seen_at').notNull().defaultNow(),
  /** JSON: what registrations may name of it, without a value. */
  offer: text(),
})
