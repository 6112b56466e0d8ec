import { and, desc, eq, isNull } from 'drizzle-orm'
import type { FreezeEffect, FreezeSelector } from '../../contract/configuration/freeze-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { Query } from '../postgres/open.ts'
import { freezes } from '../schema/schema.ts'

export type StoredFreeze = typeof freezes.$inferSelect

export async function insertFreeze(
  query: Query,
  freeze: FreezeSelector & {
    effect: FreezeEffect
    tenant_id: string
    freeze_id: string
    reason: string
    author: Author
  },
): Promise<void> {
  await query.insert(freezes).values(freeze)
}

export async function deleteFreezes(
  query: Query,
  tenantId: string,
  selector: FreezeSelector & { effect: FreezeEffect },
): Promise<number> {
  const lifted = await query
    .delete(freezes)
    .where(
      and(
        eq(freezes.tenant_id, tenantId),
        eq(freezes.effect, selector.effect),
        selector.system === null ? isNull(freezes.system) : eq(freezes.system, selector.system),
        selector.operation === null ? isNull(freezes.operation) : eq(freezes.operation, selector.operation),
        selector.key_id === null ? isNull(freezes.key_id) : eq(freezes.key_id, selector.key_id),
      ),
    )
    .returning({ id: freezes.freeze_id })
  return lifted.length
}

export async function readFreezes(query: Query, tenantId: string): Promise<StoredFreeze[]> {
  return query
    .select()
    .from(freezes)
    .where(eq(freezes.tenant_id, tenantId))
    .orderBy(freezes.created_at, freezes.freeze_id)
}

export async function readEveryFreeze(query: Query, limit: number): Promise<StoredFreeze[]> {
  return query.select().from(freezes).orderBy(desc(freezes.created_at), freezes.freeze_id).limit(limit)
}
