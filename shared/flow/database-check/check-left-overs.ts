import { inSnapshot } from '../../store/log/audit-walk.ts'
import { readOrphans, readOutboxPage } from '../../store/log/audit-walk-log.ts'
import type { Store } from '../../store/postgres/open.ts'
import { type Counters, differs } from './check-counters.ts'

const changesAtOnce = 10_000

/** Where the walk through the outbox is: the last id that was looked at. */
export interface LeftOversCursor {
  after: number
}

/** Checks that nothing waits for the log without being there, and at the end that nothing is left of what is gone. */
export async function checkLeftOvers(
  { store, tally }: { store: Store; tally: Counters },
  cursor: LeftOversCursor,
): Promise<LeftOversCursor | null> {
  const { last, eventless } = await inSnapshot(store, query =>
    readOutboxPage(query, cursor.after, changesAtOnce),
  )
  for (const { id, stream } of eventless)
    differs(tally, stream, `row ${id} of the outbox is about events that are not there`)
  if (last !== null) return { after: last }
  for (const { table, tenant_id } of await inSnapshot(store, readOrphans))
    differs(tally, table, `there are rows of ${tenant_id}, which is not there`)
  return null
}
