import { setTimeout as delay } from 'node:timers/promises'
import { referencesIn } from '../../actuator/surroundings.ts'
import type { Issue } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { ToolTest, ToolTested } from '../../contract/configuration/tool-import.ts'
import { newName } from '../../runtime/ids.ts'
import {
  type AskedTestCall,
  countTestCalls,
  endTestCall,
  insertTestCall,
  readTestCall,
  withdrawTestCall,
} from '../../store/tenant/test-call-rows.ts'
import { changeConfig } from '../core/change-config.ts'
import { type Context, ownContext } from '../core/context.ts'
import { runsOf } from '../core/operator-means.ts'
import { judgeTool, liveOffers } from '../execution/judge-registrations.ts'
import { hasMeans, ofTool, warningsAbout } from '../execution/registration-warnings.ts'
import { awaitDownstream } from './await-downstream.ts'
import { type JudgedTest, judgeTest, notCalled, type TestCall } from './judge-test.ts'
import { answeredPayload, makeTestCall, ownLedger } from './make-test-call.ts'
import { lostAnswer, type TestAnswer } from './test-verdict.ts'

/** Renders the request of an operation and calls it if it only reads or is confirmed; it creates no action. */
export async function testTool(context: Context, call: TestCall): Promise<ToolTested> {
  const test_id = newName('test')
  const judged = await judgeTest(context, call, test_id)
  const { hindrance } = judged
  if (hindrance) return notCalled(judged, hindrance)
  const tested = await awaitDownstream(call, () => callTool(context, judged))
  return tested ?? notCalled(judged, { sent: 'too_many', problems: [] })
}

async function callTool(context: Context, judged: JudgedTest): Promise<ToolTested> {
  const { test_id, request } = judged
  if (isForWorkers(context, judged.actuator)) return askWorkers(context, judged)
  const answer = await makeTestCall(context, judged, ownLedger)
  if (answer === null) return notCalled(judged, { sent: 'frozen', problems: [] })
  return { test_id, request, sent: 'called', ...answer, problems: [] }
}

/** A process without a worker leaves such calls to one, because it has no secrets, programs or modules. */
function isForWorkers({ bench }: Context, actuator: RegisteredActuator): boolean {
  const needs = referencesIn(actuator.settings).length > 0 || runsOf(actuator) !== null
  return needs && bench.dependencies === null
}

const takeMs = 10_000
const [pauseMsMin, pauseMsMax] = [20, 250]

/**
 * Asks the workers for a test call, because only they have secrets, programs and modules. One worker takes it
 * once; a call not taken in time is withdrawn, and a taken one without an answer is unknown.
 */
export async function askWorkers(context: Context, judged: JudgedTest): Promise<ToolTested> {
  const { call, test_id, actuator, request } = judged
  const lack = await lackOfWorkers(context, actuator)
  if (lack) return notCalled(judged, { sent: 'no_worker', problems: lack })
  if (!(await ask(context, judged))) return notCalled(judged, { sent: 'too_many', problems: [] })
  await context.reach('test_asked')
  context.doorbell.ring([{ id: test_id, delayMs: 0, due: 'tests' }])
  const answer = await untilAnswered(context, askedOf(judged))
  if (answer) return { test_id, request, sent: 'called', ...answer, problems: [] }
  const problems = await judgeTool(context, call.tenant_id, actuator)
  return notCalled(judged, { sent: 'no_worker', problems })
}

/**
 * Returns what the live workers lack for an actuator, or null if one of them is equipped; without any live worker
 * it returns null too, since one may start in time.
 */
async function lackOfWorkers(context: Context, actuator: RegisteredActuator): Promise<Issue[] | null> {
  const offers = await liveOffers(context)
  const isLeft = offers.length === 0 || offers.some(offer => hasMeans(actuator, offer))
  return isLeft ? null : ofTool(warningsAbout([actuator], offers))
}

/** Returns false if too many calls are under way; the tenant's lock keeps the count exact. */
async function ask(context: Context, judged: JudgedTest): Promise<boolean> {
  const { tenant_id, author } = judged.call
  return changeConfig(context, tenant_id, author, async query => {
    const underWay = await countTestCalls(query, tenant_id)
    if (underWay >= limits.test_calls_per_tenant_max) return { answer: false }
    await insertTestCall(query, askedOf(judged), takeMs)
    return { answer: true }
  })
}

function askedOf({ call, test_id, request_hash }: JudgedTest): AskedTestCall {
  const { tenant_id, system, author } = call
  return { test_id, tenant_id, system, test: JSON.stringify(call.test), request_hash, author }
}

/** Returns null if the call was withdrawn untaken. */
async function untilAnswered(context: Context, asked: AskedTestCall): Promise<TestAnswer | null> {
  const { tenant_id, test_id } = asked
  // The process's context is used, because the end of the call must be recorded even if the asker leaves.
  const own = ownContext(context)
  for (let pause = pauseMsMin; ; pause = Math.min(2 * pause, pauseMsMax)) {
    const state = await context.store.read([tenant_id], reader => readTestCall(reader, asked))
    // The row was deleted during minutes in which this process did not poll.
    if (state === null) return lostAnswer
    if (state.answer !== null) return JSON.parse(state.answer) as TestAnswer
    const isGivenUp = !state.taken && (!state.waits || context.ending.signal.aborted)
    if (isGivenUp && (await own.store.change([tenant_id], query => withdrawTestCall(query, test_id))))
      return null
    if (state.over) await endLostTestCall(own, asked)
    await delay(pause)
  }
}

export async function endLostTestCall(context: Context, asked: AskedTestCall): Promise<void> {
  const { tenant_id, system, test_id, author } = asked
  const call = { tenant_id, system, test: JSON.parse(asked.test) as ToolTest, author }
  await changeConfig(context, tenant_id, author, async query => {
    if (!(await endTestCall(query, { test_id, answer: JSON.stringify(lostAnswer) }))) return { answer: null }
    return {
      answer: null,
      entry: { kind: 'tool_tested', payload: answeredPayload(call, test_id, lostAnswer) },
    }
  })
}
