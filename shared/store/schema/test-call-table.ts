import { foreignKey, jsonb, text } from 'drizzle-orm/pg-core'
import type { Author } from '../../contract/configuration/tenant.ts'
import { schema, time } from './columns.ts'
import { tenants } from './tenancy-tables.ts'

/**
 * Test calls that a process without worker asks the workers for. Each is taken once, and forgotten after minutes: what is
 * history of it is in the events of the tenant.
 */
export const testCalls = schema.table(
  'test_calls',
  {
    test_id: text().primaryKey(),
    tenant_id: text().notNull(),
    system: text().notNull(),
    /** Text of the JSON that was asked: operation, parameters and whether it is confirmed. */
    test: text().notNull(),
    /** Of what was shown to whoever asks: nothing else is sent. */
    request_hash: text().notNull(),
    author: jsonb().$type<Author>().notNull(),
    asked_at: time('asked_at').notNull().defaultNow(),
    /** No worker takes it after that. */
    take_before: time('take_before').notNull(),
    /** The worker that makes the call; null while none does. */
    taken_by: text(),
    /** What the worker does not answer before is unknown. */
    ends_at: time('ends_at'),
    /** Text of the JSON that is answered; secrets are hidden in it. */
    answer: text(),
  },
  table => [foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] })],
)
