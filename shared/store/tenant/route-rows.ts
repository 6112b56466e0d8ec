import { and, eq, getTableColumns, gt, inArray, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { RouteRequest } from '../../contract/configuration/route-schema.ts'
import type { Absence, RouteTerms } from '../../lifecycle/change.ts'
import type { Query, Reader, Writer } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import { accounts, reviewAbsences, reviewGroups, reviewRoutes } from '../schema/schema.ts'

export type StoredGroup = typeof reviewGroups.$inferSelect
export type StoredRoute = typeof reviewRoutes.$inferSelect

export interface NamedRef {
  tenant_id: string
  name: string
}

export async function listRoutes(query: Query, tenantId: string): Promise<StoredRoute[]> {
  return query
    .select()
    .from(reviewRoutes)
    .where(eq(reviewRoutes.tenant_id, tenantId))
    .orderBy(reviewRoutes.name)
}

export async function listGroups(query: Query, tenantId: string): Promise<StoredGroup[]> {
  return query
    .select()
    .from(reviewGroups)
    .where(eq(reviewGroups.tenant_id, tenantId))
    .orderBy(reviewGroups.name)
}

export async function listGroupsOf(query: Query, tenantIds: readonly string[]): Promise<StoredGroup[]> {
  return query
    .select()
    .from(reviewGroups)
    .where(inArray(reviewGroups.tenant_id, [...tenantIds]))
    .orderBy(reviewGroups.tenant_id, reviewGroups.name)
}

export async function writeRoute(query: Query, ref: NamedRef, route: RouteRequest): Promise<StoredRoute> {
  const [written] = await query
    .insert(reviewRoutes)
    .values({ ...ref, route })
    .onConflictDoUpdate({
      target: [reviewRoutes.tenant_id, reviewRoutes.name],
      set: { route, updated_at: sql`clock_timestamp()` },
    })
    .returning()
  if (!written) throw new Error('the route was not stored')
  return written
}

/** A group to write. An existing group keeps its own `of_organization`. */
export type WantedGroup = NamedRef & Pick<StoredGroup, 'members' | 'of_organization'>

export async function writeGroup(query: Query, group: WantedGroup): Promise<StoredGroup> {
  const { members } = group
  const [written] = await query
    .insert(reviewGroups)
    .values(group)
    .onConflictDoUpdate({
      target: [reviewGroups.tenant_id, reviewGroups.name],
      set: { members, updated_at: sql`clock_timestamp()` },
    })
    .returning()
  if (!written) throw new Error('the group was not stored')
  return written
}

export async function deleteRoute(query: Query, { tenant_id, name }: NamedRef): Promise<StoredRoute | null> {
  const own = and(eq(reviewRoutes.tenant_id, tenant_id), eq(reviewRoutes.name, name))
  const [deleted] = await query.delete(reviewRoutes).where(own).returning()
  return deleted ?? null
}

export async function deleteGroup(query: Query, { tenant_id, name }: NamedRef): Promise<StoredGroup | null> {
  const own = and(eq(reviewGroups.tenant_id, tenant_id), eq(reviewGroups.name, name))
  const [deleted] = await query.delete(reviewGroups).where(own).returning()
  return deleted ?? null
}

export type RoutePeople = Pick<RouteTerms, 'people' | 'absences'>

export interface RouteGroups {
  tenant_id: string
  groups: readonly string[]
}

/**
 * Returns the people of groups and the absences, by tenant. Both are locked until the transaction ends, so that
 * they cannot change while a decision is committed.
 */
export async function holdPeople(
  writer: Writer,
  asked: readonly RouteGroups[],
): Promise<ReadonlyMap<string, RoutePeople>> {
  const pairs = asked.flatMap(({ tenant_id, groups }) => groups.map(group => [tenant_id, group] as const))
  const tenants = arrayLiteral(pairs.map(([tenant]) => tenant))
  const groups = await writer.query<GroupRow>('hold_people', `${peopleSql} for share of g`, [
    tenants,
    arrayLiteral(pairs.map(([, group]) => group)),
  ])
  const absences = await writer.query<AbsenceRow>('hold_absences', `${absencesSql} for share`, [tenants])
  return byTenant(groups, absences)
}

/** Returns the people of all groups of some tenants, without a lock. */
export async function readPeople(
  reader: Reader,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, RoutePeople>> {
  const tenants = arrayLiteral(tenantIds)
  const groups = await reader.query<GroupRow>('read_people', allPeopleSql, [tenants])
  const absences = await reader.query<AbsenceRow>('read_absences', absencesSql, [tenants])
  return byTenant(groups, absences)
}

interface GroupRow {
  tenant_id: string
  name: string
  holders: string[]
}

type AbsenceRow = Absence & { tenant_id: string }

function byTenant(
  groups: readonly GroupRow[],
  absences: readonly AbsenceRow[],
): ReadonlyMap<string, RoutePeople> {
  const tenants = new Set([...groups, ...absences].map(({ tenant_id }) => tenant_id))
  return new Map(
    [...tenants].map(tenant => [
      tenant,
      {
        people: new Map(
          groups.flatMap(({ tenant_id, name, holders }) => (tenant_id === tenant ? [[name, holders]] : [])),
        ),
        absences: absences.filter(({ tenant_id }) => tenant_id === tenant),
      },
    ]),
  )
}

const groupColumns = `
select tenant_id, name, (
  select coalesce(json_agg(m ->> 'holder'), '[]') from jsonb_array_elements(members) m
) as holders
from review_groups g`

const peopleSql = `${groupColumns}
where (tenant_id, name) in (select * from unnest($1::text[], $2::text[]))
order by tenant_id, name`

const allPeopleSql = `${groupColumns}
where tenant_id = any($1::text[])
order by tenant_id, name`

const absencesSql = `
select tenant_id, absent, delegate from review_absences
where tenant_id = any($1::text[]) and absent_until > clock_timestamp()
order by tenant_id, absent`

type StoredAbsence = typeof reviewAbsences.$inferSelect

/** An absence with the e-mail addresses of its two accounts; null for a holder who only has a key. */
export type ListedAbsence = StoredAbsence & { absent_email: string | null; delegate_email: string | null }

export async function listAbsences(query: Query, tenantId: string): Promise<ListedAbsence[]> {
  const own = eq(reviewAbsences.tenant_id, tenantId)
  const [away, acting] = [alias(accounts, 'away'), alias(accounts, 'acting')]
  return query
    .select({
      ...getTableColumns(reviewAbsences),
      absent_email: away.email,
      delegate_email: acting.email,
    })
    .from(reviewAbsences)
    .leftJoin(away, eq(reviewAbsences.absent, sql`'account:' || ${away.account_id}`))
    .leftJoin(acting, eq(reviewAbsences.delegate, sql`'account:' || ${acting.account_id}`))
    .where(and(own, gt(reviewAbsences.absent_until, sql`clock_timestamp()`)))
    .orderBy(reviewAbsences.absent)
}

/** Writes the only absence of a holder; returns false if the absence has already ended. */
export async function writeAbsence(query: Query, absence: StoredAbsence): Promise<boolean> {
  const { delegate, absent_until } = absence
  const [written] = await query
    .insert(reviewAbsences)
    .values(absence)
    .onConflictDoUpdate({
      target: [reviewAbsences.tenant_id, reviewAbsences.absent],
      set: { delegate, absent_until },
    })
    .returning({ lasts: sql<boolean>`${reviewAbsences.absent_until} > clock_timestamp()` })
  return written?.lasts ?? false
}

/** Deletes an absence, if given only one with this `delegate`. Also returns true for an absence that has ended. */
export async function deleteAbsence(
  query: Query,
  { tenant_id, absent, delegate }: Pick<StoredAbsence, 'tenant_id' | 'absent'> & { delegate?: string },
): Promise<boolean> {
  const ended = await query
    .delete(reviewAbsences)
    .where(
      and(
        eq(reviewAbsences.tenant_id, tenant_id),
        eq(reviewAbsences.absent, absent),
        delegate === undefined ? undefined : eq(reviewAbsences.delegate, delegate),
      ),
    )
    .returning({ absent: reviewAbsences.absent })
  return ended.length > 0
}
