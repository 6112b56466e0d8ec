import { AIMessage, type ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { FakeStreamingChatModel } from '@langchain/core/utils/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type GatedOptions, gated, Refused } from '../../shared/client/index.ts'
import { deniedText, done, type GatedBed, neverRuns, openGatedBed } from './gated-bed.ts'

let bed: GatedBed

beforeAll(async () => {
  bed = await openGatedBed()
})
afterAll(() => bed.close())

const schema = z.object({ contact: z.number() })
const called = { id: 'call-1', name: 'act', args: { contact: 42 }, type: 'tool_call' as const }

/** The model asks for the tool, and the tool is invoked with what it asked, as agents of LangChain do. */
async function play(operation: string, options?: GatedOptions): Promise<ToolMessage> {
  const act = gated(bed.gate, operation, tool(neverRuns, { name: 'act', schema }), options)
  const model = new FakeStreamingChatModel({
    responses: [new AIMessage({ content: '', tool_calls: [called] })],
  })
  const asked = (await model.invoke('act')) as AIMessage
  const [call = called] = asked.tool_calls ?? []
  return act.invoke({ ...call, type: 'tool_call' }) as Promise<ToolMessage>
}

test('a tool of LangChain is executed by the gate', async () => {
  const message = await play('crm.read')
  expect(message).toMatchObject({ tool_call_id: 'call-1', name: 'act' })
  expect(JSON.parse(String(message.content))).toEqual(done)
  expect((await bed.newest()).proposal.action.parameters).toEqual({ contact: 42 })
})

test('a tool of LangChain waits for a person', async () => {
  expect(JSON.parse(String((await play('crm.read', bed.held)).content))).toEqual(done)
  expect((await bed.newest()).approval?.decision).toBe('approved')
})

test('a tool of LangChain answers why it was denied: nothing is to be mended', async () => {
  const message = await play('mail.send')
  expect([message.status, message.content]).toEqual(['success', expect.stringMatching(deniedText)])
  const made = tool(neverRuns, { name: 'act', schema, responseFormat: 'content_and_artifact' })
  const told = await gated(bed.gate, 'mail.send', made).invoke(called)
  expect(told).toMatchObject({ content: expect.stringMatching(deniedText) })
})

test('a tool of LangChain throws what did not reach the gate', async () => {
  const failure = await play('crm.read', { proposalId: () => 'no spaces' }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Refused)
})

test('a tool of LangChain with an artifact gives the result as that', async () => {
  const made = tool(neverRuns, { name: 'act', schema, responseFormat: 'content_and_artifact' })
  const message = await gated(bed.gate, 'crm.read', made).invoke(called)
  expect(message).toMatchObject({ artifact: done, content: expect.stringContaining('"executed":"read"') })
})

test('a tool of LangChain still checks its input', async () => {
  const act = gated(bed.gate, 'crm.read', tool(neverRuns, { name: 'act', schema }))
  await expect(act.invoke({ contact: 'x' } as never)).rejects.toThrow(/schema/)
})
