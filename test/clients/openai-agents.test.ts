import {
  Agent,
  type AgentOutputItem,
  type Model,
  Runner,
  setTracingDisabled,
  tool,
  Usage,
} from '@openai/agents'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type GatedOptions, gated } from '../../shared/client/index.ts'
import { deniedText, done, type GatedBed, neverRuns, openGatedBed } from './gated-bed.ts'

let bed: GatedBed

beforeAll(async () => {
  setTracingDisabled(true)
  bed = await openGatedBed()
})
afterAll(() => bed.close())

const call: AgentOutputItem = {
  type: 'function_call',
  callId: 'call-1',
  name: 'act',
  arguments: '{"contact":42}',
  status: 'completed',
}
const word: AgentOutputItem = {
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'said' }],
}

/** Calls the tool once and says a word then. */
const fakeModel: Model = {
  async getResponse({ input }) {
    const answered = Array.isArray(input) && input.some(({ type }) => type === 'function_call_result')
    return { usage: new Usage(), output: [answered ? word : call] }
  },
  getStreamedResponse() {
    throw new Error('nothing is streamed here')
  },
}

/** What the model read as the answer of the tool. */
async function play(operation: string, options?: GatedOptions): Promise<unknown> {
  const act = tool({
    name: 'act',
    description: 'acts',
    parameters: z.object({ contact: z.number() }),
    execute: neverRuns,
  })
  const agent = new Agent({
    name: 'a',
    model: fakeModel,
    tools: [gated(bed.gate, operation, act, options)],
  })
  const { newItems, finalOutput } = await new Runner().run(agent, 'act')
  expect(finalOutput).toBe('said')
  const [output] = newItems.flatMap(item => (item.type === 'tool_call_output_item' ? [item.output] : []))
  return output
}

test('a tool of the OpenAI Agents SDK is executed by the gate', async () => {
  expect(await play('crm.read')).toEqual(done)
  expect((await bed.newest()).proposal.action.parameters).toEqual({ contact: 42 })
})

test('a tool of the OpenAI Agents SDK waits for a person', async () => {
  expect(await play('crm.read', bed.held)).toEqual(done)
  expect((await bed.newest()).approval?.decision).toBe('approved')
})

test('a model of the OpenAI Agents SDK reads why it was denied', async () => {
  expect(await play('mail.send')).toMatch(deniedText)
})

test('a run of the OpenAI Agents SDK ends where onFailure throws', async () => {
  const onFailure = (failure: Error) => {
    throw failure
  }
  await expect(play('mail.send', { onFailure })).rejects.toThrow(deniedText)
})
