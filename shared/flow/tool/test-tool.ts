import { referencesIn } from '../../actuator/surroundings.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { ToolTested } from '../../contract/configuration/tool-import.ts'
import { newName } from '../../runtime/ids.ts'
import type { Context } from '../core/context.ts'
import { askWorkers } from './ask-workers.ts'
import { judgeTest, notCalled, type TestCall } from './judge-test.ts'
import { makeTestCall, ownLedger } from './make-test-call.ts'
import { usesProgram } from './operator-means.ts'

/** Render the request of an operation, and call it where it only reads or the call is confirmed; never an action. */
export async function testTool(context: Context, call: TestCall): Promise<ToolTested> {
  const test_id = newName('test')
  const judged = await judgeTest(context, call, test_id)
  const { hindrance, request } = judged
  if (hindrance) return notCalled(judged, hindrance)
  if (isForWorkers(context, judged.actuator)) return askWorkers(context, judged)
  const answer = await makeTestCall(context, judged, ownLedger)
  if (answer === null) return notCalled(judged, { sent: 'frozen', problems: [] })
  return { test_id, request, sent: 'called', ...answer, problems: [] }
}

/** A process without a worker has no secret, no program and no module. */
function isForWorkers({ bench }: Context, actuator: RegisteredActuator): boolean {
  const { kind, settings } = actuator
  const needs = referencesIn(settings).length > 0 || usesProgram(actuator) || kind === 'module'
  return needs && bench.dependencies === null
}
