import { generateText, stepCountIs, tool } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type GatedOptions, gated } from '../../shared/client/index.ts'
import { deniedText, done, type GatedBed, neverRuns, openGatedBed } from './gated-bed.ts'

let bed: GatedBed

beforeAll(async () => {
  bed = await openGatedBed()
})
afterAll(() => bed.close())

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** Calls the tool once and says a word then. */
function fakeModel() {
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const answered = prompt.some(({ role }) => role === 'tool')
      const content = answered
        ? [{ type: 'text' as const, text: 'said' }]
        : [{ type: 'tool-call' as const, toolCallId: 'call-1', toolName: 'act', input: '{"contact":42}' }]
      const unified = answered ? ('stop' as const) : ('tool-calls' as const)
      return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] }
    },
  })
}

async function play(operation: string, options?: GatedOptions) {
  const act = tool({ inputSchema: z.object({ contact: z.number() }), execute: neverRuns })
  const tools = { act: gated(bed.gate, operation, act, options) }
  const { steps } = await generateText({
    model: fakeModel(),
    tools,
    prompt: 'act',
    stopWhen: stepCountIs(2),
  })
  return steps[0]?.content.at(-1)
}

test('a tool of the AI SDK is executed by the gate', async () => {
  expect(await play('crm.read')).toMatchObject({ type: 'tool-result', output: done })
  expect((await bed.newest()).proposal.action.parameters).toEqual({ contact: 42 })
})

test('a tool of the AI SDK waits for a person', async () => {
  expect(await play('crm.read', bed.held)).toMatchObject({ type: 'tool-result', output: done })
  expect((await bed.newest()).approval?.decision).toBe('approved')
})

test('a model of the AI SDK reads why it was denied', async () => {
  const denied = await play('mail.send')
  expect(denied).toMatchObject({ type: 'tool-error', error: { name: 'Denied' } })
  expect(String((denied as { error: Error }).error.message)).toMatch(deniedText)
})
