import { boolean, foreignKey, jsonb, primaryKey, text } from 'drizzle-orm/pg-core'
import type { GroupMember, RouteRequest } from '../../contract/configuration/route-schema.ts'
import { schema, time } from './columns.ts'
import { tenants } from './tenancy-tables.ts'

/**
 * Groups of approvers, read while a decision is committed. An organization's group has a row in each application
 * of the organization, and every change of the group updates all of these rows.
 */
export const reviewGroups = schema.table(
  'review_groups',
  {
    tenant_id: text().notNull(),
    name: text().notNull(),
    members: jsonb().$type<GroupMember[]>().notNull(),
    of_organization: boolean().notNull().default(false),
    updated_at: time('updated_at').notNull().defaultNow(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.name] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
  ],
)

/** The present routes of a tenant. A verdict keeps its own copy. */
export const reviewRoutes = schema.table(
  'review_routes',
  {
    tenant_id: text().notNull(),
    name: text().notNull(),
    route: jsonb().$type<RouteRequest>().notNull(),
    updated_at: time('updated_at').notNull().defaultNow(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.name] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
  ],
)

/** Absences with their delegates. An absence that has ended stays until the next one replaces it. */
export const reviewAbsences = schema.table(
  'review_absences',
  {
    tenant_id: text().notNull(),
    absent: text().notNull(),
    delegate: text().notNull(),
    absent_until: time('absent_until').notNull(),
  },
  table => [
    primaryKey({ columns: [table.tenant_id, table.absent] }),
    foreignKey({ columns: [table.tenant_id], foreignColumns: [tenants.tenant_id] }),
  ],
)
