import { configProblem, isByUnknownKey } from '../../audit/verify/config-problems.ts'
import { inSnapshot, whyUnreadable } from '../../store/log/audit-walk.ts'
import { type DecisionPage, readDecisions } from '../../store/log/audit-walk-decisions.ts'
import { readNextLog } from '../../store/log/audit-walk-log.ts'
import type { Store } from '../../store/postgres/open.ts'
import { type Counters, differs, isUnproven } from './check-counters.ts'

export interface DecisionsCursor {
  after: string
  at: DecisionsPlace | null
}

interface DecisionsPlace {
  tenant_id: string
  /** The entries of the log when its check began; later ones are left to the next check. */
  size: number
  index: number
}

interface DecisionWalk {
  store: Store
  tally: Counters
  rowsAtOnce: number
}

/** A page has eight times the usual entries, because each page reads all the configuration before it again. */
const pagesAtOnce = 8

/**
 * Checks the decisions among some log entries against the earlier configuration of that log: key holders, group
 * members and stand-ins. Returns the next cursor, or null at the end.
 */
export async function checkDecisionPage(
  walk: DecisionWalk,
  { after, at }: DecisionsCursor,
): Promise<DecisionsCursor | null> {
  if (at === null) {
    const log = await inSnapshot(walk.store, query => readNextLog(query, after))
    return log && { after, at: { tenant_id: log.tenant_id, size: log.size, index: 0 } }
  }
  const { tenant_id, size, index: from } = at
  const to = Math.min(size, from + walk.rowsAtOnce * pagesAtOnce)
  const page = await readPage(walk.store, { tenant_id, from, to })
  if (typeof page === 'string')
    differs(walk.tally, `log of ${tenant_id}`, `of entries ${from} to ${to - 1} one cannot be read: ${page}`)
  else checkDecisions(page, walk.tally)
  return to < size ? { after, at: { ...at, index: to } } : { after: tenant_id, at: null }
}

function readPage(
  store: Store,
  range: { tenant_id: string; from: number; to: number },
): Promise<DecisionPage | string> {
  return inSnapshot(store, query => readDecisions(query, range)).catch(whyUnreadable)
}

function checkDecisions({ decisions, keys_are_here }: DecisionPage, tally: Counters): void {
  for (const decision of decisions) {
    const where = `action/${decision.action_id}`
    const problem = configProblem(decision, keys_are_here)
    if (problem !== null) differs(tally, where, problem)
    else if (isByUnknownKey(decision))
      isUnproven(tally, 'decisions by keys that are not in this database', where)
  }
  tally.counted.decisions += decisions.length
}
