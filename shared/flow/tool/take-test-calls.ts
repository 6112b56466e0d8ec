import type { ToolTest } from '../../contract/configuration/tool-import.ts'
import {
  type AskedTestCall,
  answerTestCall,
  forgetTestCalls,
  lostTestCalls,
  takeTestCall,
  waitingTestCalls,
} from '../../store/tenant/test-call-rows.ts'
import type { Context } from '../core/context.ts'
import type { WorkerOffer } from '../execution/mark-worker.ts'
import { hasMeans } from '../execution/registration-warnings.ts'
import { judgeTest } from './judge-test.ts'
import { makeTestCall } from './make-test-call.ts'
import { endLostTestCall } from './test-tool.ts'

export type { AskedTestCall }

export function findTestCalls({ store }: Context, limit: number): Promise<AskedTestCall[]> {
  return store.read('all', reader => waitingTestCalls(reader, limit))
}

const lostAtOnce = 100
/** Milliseconds after which the asker has its answer or has left. */
const keptMs = 5 * 60_000

/** Ends calls whose worker did not answer as unknown, even if no caller waits, and deletes old ones. */
export async function sweepTestCalls(context: Context): Promise<void> {
  const lost = await context.store.read('all', reader => lostTestCalls(reader, lostAtOnce))
  for (const asked of lost) await endLostTestCall(context, asked)
  await context.store.write('all', writer => forgetTestCalls(writer, keptMs))
}

/** Milliseconds beyond the call's time limit to record its answer. */
const recordMs = 5_000

/**
 * Takes and makes a test call. A call whose request has changed since it was shown, or that this worker is not
 * equipped for, is left to other workers.
 */
export async function takeTest(
  context: Context,
  { worker, offer }: { worker: string; offer: WorkerOffer },
  asked: AskedTestCall,
): Promise<void> {
  const { test_id, tenant_id, system, author } = asked
  const call = { tenant_id, system, test: JSON.parse(asked.test) as ToolTest, author }
  const judged = await judgeTest(context, call, test_id)
  const isAsShown = judged.hindrance === null && judged.request_hash === asked.request_hash
  if (!isAsShown || !hasMeans(judged.actuator, offer)) return
  await makeTestCall(context, judged, {
    by: { worker },
    take: (query, ms) => takeTestCall(query, { test_id, worker, ms: ms + recordMs }),
    answer: (query, answer) => answerTestCall(query, { test_id, worker, answer: JSON.stringify(answer) }),
  })
}
