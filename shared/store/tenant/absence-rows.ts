import { and, eq, gt, sql } from 'drizzle-orm'
import type { Query } from '../postgres/open.ts'
import { reviewAbsences } from '../schema/schema.ts'

type StoredAbsence = typeof reviewAbsences.$inferSelect

/** Absences of a tenant that are under way, by holder. */
export async function listAbsences(query: Query, tenantId: string): Promise<StoredAbsence[]> {
  const own = eq(reviewAbsences.tenant_id, tenantId)
  return query
    .select()
    .from(reviewAbsences)
    .where(and(own, gt(reviewAbsences.absent_until, sql`clock_timestamp()`)))
    .orderBy(reviewAbsences.absent)
}

/** Somebody decides in the place of another; of each absent holder there is one absence. */
export async function writeAbsence(query: Query, absence: StoredAbsence): Promise<void> {
  const { delegate, absent_until } = absence
  await query
    .insert(reviewAbsences)
    .values(absence)
    .onConflictDoUpdate({
      target: [reviewAbsences.tenant_id, reviewAbsences.absent],
      set: { delegate, absent_until },
    })
}

/** End an absence. */
export async function deleteAbsence(query: Query, tenantId: string, absent: string): Promise<void> {
  await query
    .delete(reviewAbsences)
    .where(and(eq(reviewAbsences.tenant_id, tenantId), eq(reviewAbsences.absent, absent)))
}
