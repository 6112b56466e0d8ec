import { configProblem, isByUnknownKey } from '../../audit/verify/config-problems.ts'
import { inSnapshot, whyUnreadable } from '../../store/log/audit-walk.ts'
import { type DecisionPage, readDecisions } from '../../store/log/audit-walk-decisions.ts'
import { readNextLog } from '../../store/log/audit-walk-log.ts'
import type { Store } from '../../store/postgres/open.ts'
import { type Counters, differs, isUnproven } from './check-counters.ts'

/** Where the walk through the decisions is. */
export interface DecisionsCursor {
  /** The tenant whose log was the last to be finished. */
  after: string
  at: DecisionsPlace | null
}

interface DecisionsPlace {
  tenant_id: string
  /** Entries that the log had when it was begun: what came later is left to the next check. */
  size: number
  index: number
}

interface DecisionWalk {
  store: Store
  tally: Counters
  rowsAtOnce: number
}

/** A page is read with all that the configuration said before it, which is why it has more entries than another. */
const pagesAtOnce = 8

/**
 * Checks the decisions among some entries of a log against the configuration that came before each of them in that log: whose
 * key it was, whom the group had, who stood in for whom. Gives where to go on; null after the last.
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

/** Why it cannot be read, as text, where no service wrote it. */
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
