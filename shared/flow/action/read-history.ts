import { actionStatuses } from '../../contract/action/action-status.ts'
import type { HistoryPage, HistoryQuery } from '../../contract/action/history-schema.ts'
import type { Numbers, NumberWindow } from '../../contract/action/numbers-schema.ts'
import { beginOf, numbersIn } from '../../lifecycle/hour-numbers.ts'
import { wallTimeMs } from '../../runtime/clock.ts'
import { actionIdsFrom } from '../../runtime/ids.ts'
import { afterEveryAction } from '../../store/action/actions.ts'
import { type FoundAction, type FoundActions, searchHistory } from '../../store/action/history-rows.ts'
import { readNumbers as readKept } from '../../store/action/number-rows.ts'
import type { Context } from '../core/context.ts'
import { summary } from './read-actions.ts'
import { wordsOf } from './read-inbox.ts'

/**
 * Returns one page of actions that meet every filter, newest first. Times come from the ids, by the clock of the
 * accepting process. A page searches a bounded number of actions, and `next_cursor` continues after them.
 */
export async function findInHistory(
  context: Context,
  { tenant_id: tenantId, query }: { tenant_id: string; query: HistoryQuery },
): Promise<HistoryPage> {
  const { status, agent_id = null, system = null, operation = null, risk = null, limit } = query
  const filter = { agent_id, system, operation, risk, words: wordsOf(query.search) }
  const ends = [query.cursor, query.to === undefined ? undefined : actionIdsFrom(new Date(query.to))]
  const before = ends.reduce<string>((least, end) => (end && end < least ? end : least), afterEveryAction)
  const from = query.from === undefined ? '' : actionIdsFrom(new Date(query.from))
  const statuses = status ? [status] : actionStatuses
  const reader = context.store.readEach([tenantId])
  const result = await searchHistory(reader, { tenantId, statuses, filter, limit, before, from })
  return pageOf(result, limit)
}

function pageOf({ found, looked, last }: FoundActions, limit: number): HistoryPage {
  const shown = found.slice(0, limit)
  const cut = found.length > limit ? shown.at(-1) : undefined
  return {
    actions: shown.flatMap(({ place: _, ...action }: FoundAction) => summary(action)),
    looked: cut ? cut.place : looked,
    looked_to: cut?.created_at ?? last?.created_at ?? null,
    next_cursor: cut?.action_id ?? (last?.followed ? last.action_id : null),
  }
}

export async function readNumbers(
  context: Context,
  { tenant_id, window }: { tenant_id: string; window: NumberWindow },
): Promise<Numbers> {
  const now = wallTimeMs()
  const since = new Date(beginOf(window, now)).toISOString()
  const reader = context.store.readEach([tenant_id])
  return numbersIn({ window, now, ...(await readKept(reader, tenant_id, since)) })
}
