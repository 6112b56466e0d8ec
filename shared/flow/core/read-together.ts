import { createBatcher } from '../../runtime/batcher.ts'
import { isLost } from '../../runtime/outage.ts'
import {
  type Found,
  readActions,
  readVersions,
  type StoredAction,
  type StoredVersion,
  type Wanted,
} from '../../store/action/actions.ts'
import type { Reader } from '../../store/postgres/open.ts'
import { areKeysBeside, type Context, perContext } from './context.ts'

const versionsTogether = { size_max: 64, groups_max: 2, isOfAll: isLost }
/**
 * Whole actions may be large, so few share a statement and more statements run at once; requests of one turn of
 * the event loop are gathered into one.
 */
const actionsTogether = { ...versionsTogether, size_max: 8, groups_max: 4, gathers: true }

export function readActionTogether(context: Context, wanted: Wanted): Promise<Found<StoredAction>[number]> {
  return actionsOf(context)(wanted)
}

export function readVersionTogether(context: Context, wanted: Wanted): Promise<Found<StoredVersion>[number]> {
  return versionsOf(context)(wanted)
}

const actionsOf = perContext(context => batch(context, actionsTogether, readActions))
const versionsOf = perContext(context => batch(context, versionsTogether, readVersions))

function batch<Stored>(
  context: Context,
  bounds: typeof versionsTogether,
  read: (reader: Reader, wanted: readonly Wanted[]) => Promise<Found<Stored>>,
): (wanted: Wanted) => Promise<Found<Stored>[number]> {
  const { store } = context
  const keysBeside = areKeysBeside(context)
  const run = (wanted: Wanted[]) =>
    read(
      store.readEach([...new Set(wanted.map(({ tenant_id }) => tenant_id))]),
      keysBeside ? wanted : wanted.map(one => ({ ...one, key_id: null })),
    )
  return createBatcher<Wanted, Found<Stored>[number]>({ ...bounds, run })
}
