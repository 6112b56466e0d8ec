import { createSdkMcpServer, tool } from '@anthropic-ai/claude-agent-sdk'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type GatedOptions, gated } from '../../shared/client/index.ts'
import { deniedText, done, type GatedBed, neverRuns, openGatedBed } from './gated-bed.ts'

/** The agent of this package is a program of its own that needs a model; its tools are called here as that program does. */
let bed: GatedBed

beforeAll(async () => {
  bed = await openGatedBed()
})
afterAll(() => bed.close())

async function play(operation: string, options?: GatedOptions) {
  const act = tool('act', 'acts', { contact: z.number() }, () => Promise.reject(neverRuns()))
  const { instance } = createSdkMcpServer({
    name: 'acts',
    tools: [gated(bed.gate, operation, act, options)],
  })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1' })
  await Promise.all([instance.connect(far), client.connect(near)])
  try {
    const answer = await client.callTool({ name: 'act', arguments: { contact: 42 } })
    const [{ text } = { text: '' }] = answer.content as { text: string }[]
    return { isError: answer.isError ?? false, text }
  } finally {
    await client.close()
  }
}

test('a tool of the Claude Agent SDK is executed by the gate', async () => {
  const { isError, text } = await play('crm.read')
  expect([isError, JSON.parse(text)]).toEqual([false, done])
  expect((await bed.newest()).proposal.action.parameters).toEqual({ contact: 42 })
})

test('a tool of the Claude Agent SDK waits for a person', async () => {
  expect(JSON.parse((await play('crm.read', bed.held)).text)).toEqual(done)
  expect((await bed.newest()).approval?.decision).toBe('approved')
})

test('a model of the Claude Agent SDK reads why it was denied', async () => {
  const { isError, text } = await play('mail.send')
  expect(isError).toBe(true)
  expect(text).toMatch(deniedText)
})
