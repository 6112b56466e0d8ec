import { bigint, foreignKey, index, jsonb, primaryKey, text } from 'drizzle-orm/pg-core'
import type { HourNumbers } from '../../contract/action/hour-numbers-shape.ts'
import { schema, time } from './columns.ts'
import { tenants } from './tenancy-tables.ts'

/**
 * What was decided and what came of it, by the hour in which it was recorded. Counted from the log, and never more than a
 * copy: whoever deletes the rows of a tenant in both tables has them counted again.
 */
export const numberHours = schema.table(
  'number_hours',
  {
    tenant_id: text().notNull(),
    /** The beginning of the hour. */
    hour: time('hour').notNull(),
    numbers: jsonb().$type<HourNumbers>().notNull(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.hour] }),
    index('number_hours_by_hour').on(table.hour),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
  ],
)

/** How many entries of a tenant's log are counted. */
export const numberMarks = schema.table(
  'number_marks',
  {
    tenant_id: text().primaryKey(),
    counted: bigint({ mode: 'number' }).notNull(),
  },
  table => [foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] })],
)
