import type { SavedViews } from '../../contract/action/inbox-schema.ts'
import { readViews, replaceViews } from '../../store/account/account-rows.ts'
import type { Context } from '../core/context.ts'
import type { CurrentSession } from './sessions.ts'

export async function listViews({ store }: Context, { account }: CurrentSession): Promise<SavedViews> {
  return { views: await store.look([], query => readViews(query, account.account_id)) }
}

/** Replaces all saved views; the later of two concurrent requests wins. */
export async function saveViews(
  { store }: Context,
  { account }: CurrentSession,
  saved: SavedViews,
): Promise<SavedViews> {
  await store.change([], query => replaceViews(query, account.account_id, saved.views))
  return saved
}
