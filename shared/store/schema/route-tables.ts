import { boolean, foreignKey, jsonb, primaryKey, text } from 'drizzle-orm/pg-core'
import type { GroupMember, RouteRequest } from '../../contract/configuration/route-schema.ts'
import { schema, time } from './columns.ts'
import { tenants } from './tenancy-tables.ts'

/**
 * Groups of people who approve, read while a decision is committed. A group of the organization has a row in each
 * of its applications, which every change of the group writes again.
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

/** The present routes of a tenant; a verdict keeps its own copy. */
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

/** Absences with their delegates; one that is over stays until the next one. */
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
