import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { makeWebhook, webhookEnvironment } from '../../support/fixtures/webhook-receiver.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { freePort } from '../../support/servers/redis-program.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant
let bot: ChildProcess
let url: string
let said = ''

beforeAll(async () => {
  service = await startService({ platform: true, env: webhookEnvironment })
  tenant = await service.tenant()
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const { secret } = await makeWebhook(service, tenant.id, { url, event_types: ['action.pending_approval'] })
  bot = spawn(process.execPath, [join(repositoryRoot, 'test/cases/approval-bot.mjs')], {
    env: {
      ACTION_GATE_URL: service.url,
      ACTION_GATE_APPROVER_KEY: tenant.approver,
      WEBHOOK_SECRET: secret,
      PORT: String(port),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  bot.stdout?.on('data', (part: Buffer) => {
    said += part.toString()
  })
  await heard(`listening on ${port}`)
})

afterAll(async () => {
  const ended = new Promise(resolve => bot.once('exit', resolve))
  bot.kill()
  await ended
  await service.close()
})

async function heard(text: string): Promise<void> {
  await vi.waitFor(() => expect(said).toContain(text), { timeout: 10_000 })
}

it.each([
  ['y', 'approve', 'executed'],
  ['n', 'reject', 'denied'],
])('a person who says %s lets the bot %s what the gate holds', async (answer, verb, end) => {
  const { body } = await tenant.submit({ risk: 'medium', summary: `Merge for ${answer}` })
  await heard(`Merge for ${answer}: crm.read {"contact":42} (y/n)?`)
  expect((await tenant.trace(body.action_id)).status).toBe('pending_approval')
  bot.stdin?.write(`${answer}\n`)
  await heard(`${verb}: ${end}`)
  expect((await tenant.trace(body.action_id)).status).toBe(end)
})

it('what nobody signed is not believed', async () => {
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
  }
  const body = JSON.stringify({ type: 'action.pending_approval', data: { action_id: 'act_x' } })
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401)
})
