import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { RiskLevel } from '../../contract/action/proposal-schema.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Reader } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import { type ListedSummary, membersOf, pageSql, summarizedBytesMax } from './actions.ts'
import { patternsOf } from './ledger-columns.ts'

export interface HistoryFilter {
  agent_id: string | null
  system: string | null
  operation: string | null
  risk: RiskLevel | null
  words: readonly string[]
}

export interface HistoryWanted {
  tenantId: string
  statuses: readonly ActionStatus[]
  filter: HistoryFilter
  limit: number
  before: string
  from: string
}

export interface FoundAction extends Omit<ListedSummary, 'followed'> {
  place: number
}

export interface FoundActions {
  found: FoundAction[]
  looked: number
  last: { action_id: string; created_at: string; followed: boolean } | null
}

/**
 * Searches actions, newest first, up to `history_looked_max` actions and a number of bytes. It reads the recorded
 * texts instead of a search index, so that new actions cost nothing extra.
 */
export async function searchHistory(reader: Reader, wanted: HistoryWanted): Promise<FoundActions> {
  const { tenantId, statuses, filter, limit, before, from } = wanted
  const { agent_id, system, operation, risk, words } = filter
  const named = [agent_id, system, operation, risk]
  const isWhole = words.length === 0 && named.every(name => name === null)
  const [row] = await reader.query<FoundActions>('search_history', historySql, [
    ...[arrayLiteral(statuses), tenantId, before],
    isWhole ? limit + 1 : limits.history_looked_max,
    ...[from, limit + 1, ...named, patternsOf(words)],
    patternsOf(words.filter(word => word.length >= idWordMin)),
  ])
  return row ?? { found: [], looked: 0, last: null }
}

/** Shorter words are not searched in ids, because they would occur in nearly all of these random texts. */
const idWordMin = 8

const text = `lower(replace(concat_ws(' ', left(concat_ws(' ', proposed.summary, proposed.action ->> 'parameters'), ${limits.searched_length_max}),
    proposed.actor ->> 'agent_id', page.target_system, page.operation), '"', ''))`

const historySql = `
with ${pageSql(summarizedBytesMax, 'and action_id collate "C" >= $5')},
found as (
  select page.action_id, proposal_id, target_system, operation, status, created_at, updated_at, place::int4,
    proposed.actor ->> 'agent_id' as agent_id, proposed.summary, decided.decision, decided.effective_risk ->> 'level' as effective_risk
  from page ${membersOf(0, 'proposed', 'actor json, summary text, action json')} ${membersOf(1, 'decided', 'decision text, effective_risk json')}
  where ($7::text is null or proposed.actor ->> 'agent_id' = $7)
    and ($8::text is null or page.target_system = $8)
    and ($9::text is null or page.operation = $9)
    and ($10::text is null or decided.effective_risk ->> 'level' = $10)
    and not exists (
      select from unnest($11::text[]) word(pattern)
      where ${text} not like pattern
        and not (pattern = any($12::text[]) and lower(page.action_id || ' ' || proposal_id) like pattern)
    )
  order by page.action_id desc limit $6::int4
)
select coalesce((select json_agg(found order by action_id desc) from found), '[]') as found,
  (select count(*)::int4 from page) as looked,
  (
    select json_build_object('action_id', action_id, 'created_at', created_at, 'followed', followed)
    from page order by action_id limit 1
  ) as last`
