import { createBatcher } from '../../runtime/batcher.ts'
import { isLost } from '../../runtime/outage.ts'
import { type ActionChange, type Amended, changeActions, inRounds } from './change-action.ts'
import type { Context } from './context.ts'

/** As accepting does: a few groups under way, the second where it is worth a connection. Keys are looked up together just before. */
const together = { size_max: 64, lanes: 2, crowd: 12, gathers: true, isOfAll: isLost }

const lanes = new WeakMap<Context, (amendment: ActionChange) => Promise<Amended>>()

/**
 * Change an action together with others of the same moment, whoever's they are: one transaction and one commit for all.
 * Amendments of one action are judged one after the other, in the order in which they came. A group that fails is tried
 * again, so that whoever asks may be refused what was recorded before: its own `sealed` was told of it.
 */
export function changeTogether(context: Context, amendment: ActionChange): Promise<Amended> {
  const lane = lanes.get(context) ?? openLane(context)
  lanes.set(context, lane)
  return lane(amendment)
}

function openLane(context: Context): (amendment: ActionChange) => Promise<Amended> {
  const run = (group: ActionChange[]) => inRounds(group, round => changeActions(context, round))
  return createBatcher({ ...together, run })
}
