import { createBatcher } from '../../runtime/batcher.ts'
import { isLost } from '../../runtime/outage.ts'
import { insertActions, type Opened } from '../../store/action/ledger.ts'
import type { SealedOpening } from '../../store/action/sealed-change.ts'
import { areKeysBeside, type Context, perContext } from './context.ts'

/** A group of new actions keeps one connection busy for as long as it takes to read and judge about as many. */
const together = { size_max: 64, groups_max: 2, crowd: 12, isOfAll: isLost }

/** Store a new action: those of the same moment share one statement and one commit, whoever's they are. */
export function insertTogether(context: Context, opening: SealedOpening): Promise<Opened> {
  return batcherOf(context)(opening)
}

const batcherOf = perContext(context =>
  createBatcher({ ...together, run: (openings: SealedOpening[]) => insertGroup(context, openings) }),
)

async function insertGroup(context: Context, openings: readonly SealedOpening[]): Promise<Opened[]> {
  const tenants = [...new Set(openings.map(({ tenant_id }) => tenant_id))]
  const opened = await context.store.write(tenants, async writer => {
    const answers = await insertActions(writer, openings, areKeysBeside(context))
    await context.reach('submit_written')
    return answers
  })
  for (const { now } of opened.slice(0, 1)) context.databaseClock.heard(now)
  return opened
}
