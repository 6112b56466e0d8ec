import { eq, sql } from 'drizzle-orm'
import type { SavedView } from '../../contract/action/saved-view-schema.ts'
import type { Query } from '../postgres/open.ts'
import { savedViews } from '../schema/schema.ts'

/** The views that an account saved. */
export async function readViews(query: Query, accountId: string): Promise<SavedView[]> {
  const [row] = await query
    .select({ views: savedViews.views })
    .from(savedViews)
    .where(eq(savedViews.account_id, accountId))
  return row?.views ?? []
}

/** Save these views and no others. */
export async function replaceViews(
  query: Query,
  accountId: string,
  views: readonly SavedView[],
): Promise<void> {
  const saved = { views: [...views], updated_at: sql`clock_timestamp()` }
  await query
    .insert(savedViews)
    .values({ account_id: accountId, ...saved })
    .onConflictDoUpdate({ target: savedViews.account_id, set: saved })
}
