import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Invocation } from '../../../shared/actuator/actuator.ts'
import { invoke } from '../../../shared/actuator/invoke.ts'
import { mcpActuator } from '../../../shared/actuator/mcp/mcp-actuator.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { McpSettings } from '../../../shared/contract/configuration/mcp-actuator-schema.ts'
import { surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import { type PlatformProcess, startProcess } from '../../support/platform/platform-process.ts'
import type { LedgerLine } from '../check/evidence.ts'
import { configuration } from '../settings.ts'
import { chaosKeyed, chaosPlain } from './chaos-actuator.ts'
import type { Script } from './downstream-call.ts'
import { readLines } from './lines.ts'
import { askToolHash } from './tool-hash.ts'

let directory: string
let downstream: PlatformProcess
let url: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'action-gate-downstream-'))
  downstream = startProcess({
    name: 'downstream',
    file: 'test/chaos/downstream/downstream.js',
    flags: [],
    environment: { LEDGER_FILE: join(directory, 'ledger') },
  })
  const [line] = await downstream.logged('listening')
  url = `http://127.0.0.1:${line?.port}`
  process.env.DOWNSTREAM_URL = url
})
afterAll(async () => {
  downstream.signal('SIGKILL')
  await downstream.exited
  await rm(directory, { recursive: true })
})

describe.each([
  { actuator: chaosKeyed, endpoint: 'keyed' },
  { actuator: chaosPlain, endpoint: 'plain' },
])('the $endpoint actuator and its downstream', ({ actuator, endpoint }) => {
  it.each<[Script, string, effects: number, found: string]>([
    ['ok', 'ok', 1, 'executed'],
    ['refuse', 'failed', 0, 'failed'],
    ['busy', 'retry', 0, 'absent'],
    ['lost_before', 'unknown', 0, 'absent'],
    ['cut', 'unknown', 1, 'executed'],
    ['half_body', 'unknown', 1, 'executed'],
    ['error', 'unknown', 1, 'executed'],
  ])('%s is %s, with %i effects, and looked up as %s', async (script, outcome, effects, found) => {
    const call = callOf([script])
    expect((await invoke(actuator, call)).class).toBe(outcome)
    expect(effectsOf(call)).toBe(effects)
    expect(await actuator.lookup?.(call)).toMatchObject({ found })
  })

  it('a key that is repeated is one effect where it is honoured, and two where not', async () => {
    const call = callOf(['ok'])
    await invoke(actuator, call)
    expect((await invoke(actuator, { ...call, attempt: 2 })).class).toBe('ok')
    expect(effectsOf(call)).toBe(endpoint === 'keyed' ? 1 : 2)
  })

  it('a network delivers a call twice only where the key is honoured', async () => {
    const call = callOf(['again'])
    const honoured = endpoint === 'keyed'
    expect((await invoke(actuator, call)).class).toBe(honoured ? 'unknown' : 'ok')
    expect(deliveriesOf(call)).toHaveLength(honoured ? 2 : 1)
    expect(effectsOf(call)).toBe(1)
  })

  it('a key that was refused stays refused', async () => {
    const call = callOf(['refuse', 'ok'])
    await invoke(actuator, call)
    expect((await invoke(actuator, { ...call, attempt: 2 })).class).toBe('failed')
    expect(effectsOf(call)).toBe(0)
  })

  it('what comes too late is not done', async () => {
    const call = { ...callOf(['ok']), not_after: new Date(Date.now() - 1).toISOString() }
    expect(await invoke(actuator, call)).toMatchObject({ class: 'retry', code: 'late' })
    expect(effectsOf(call)).toBe(0)
  })

  it('only a connection that did not come about proves that nothing was sent', async () => {
    process.env.DOWNSTREAM_URL = 'http://127.0.0.1:9'
    try {
      const call = callOf(['ok'])
      expect(await invoke(actuator, call)).toMatchObject({ class: 'retry', code: 'not_sent' })
      expect(await actuator.lookup?.(call).catch(() => ({ found: 'unclear' }))).toMatchObject({
        found: 'unclear',
      })
    } finally {
      process.env.DOWNSTREAM_URL = url
    }
  })
})

describe('the mcp actuator of the product and its downstream', () => {
  it('calls once each, in sessions that the server forgets in between', async () => {
    const settings = configuration({
      port: Number(new URL(url).port),
      toolHash: await askToolHash(url),
      realHashes: { everything: '' },
    })
    const registered = settings.tenants[0]?.actuators as RegisteredActuator[]
    const mcp = registered.find(({ kind }) => kind === 'mcp')
    const around = surroundings()
    const actuator = mcpActuator(
      'mcp_keyed',
      { ...(mcp?.settings as McpSettings), timeout_ms: 20_000 },
      around,
    )
    for (let nth = 0; nth < 60; nth += 1) {
      const call = callOf(['ok'])
      expect(await invoke(actuator, call)).toMatchObject({ class: 'ok' })
      expect(deliveriesOf(call)).toHaveLength(1)
    }
    expect(around.mcpSessions.size()).toBe(1)
    await around.mcpSessions.close()
  })
})

function callOf(scripts: Script[]): Invocation {
  return {
    tenant_id: 'north',
    action_id: 'act_1',
    idempotency_key: randomUUID(),
    attempt: 1,
    target_system: 'chaos',
    operation: 'write',
    parameters: { scripts, before_ms: 0, after_ms: 0, mute: false },
    tool_schema_hash: null,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    not_after: new Date(Date.now() + 10_000).toISOString(),
    callback_url: null,
    isLate: () => false,
    timeLeftMs: () => 30_000,
    signal: AbortSignal.timeout(10_000),
  }
}

function effectsOf(call: Invocation): number {
  return deliveriesOf(call).filter(({ effect }) => effect).length
}

function deliveriesOf({ idempotency_key }: Invocation): LedgerLine[] {
  return readLines<LedgerLine>(join(directory, 'ledger')).filter(({ key }) => key === idempotency_key)
}
