import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWebhookKey, webhookSecret } from '../../../../shared/runtime/secrets/service-keys.ts'
import { readConfig } from '../../../../shared/runtime/settings/config.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'webhook-key-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const key = Buffer.alloc(32, 1)

describe('the key of webhooks', () => {
  it('is that of the settings, wherever it runs', () => {
    const config = readConfig({ SERVICE_WEBHOOK_KEY: key.toString('base64') })
    expect(openWebhookKey(config, null)).toEqual(key)
    expect(openWebhookKey(config, { directory })).toEqual(key)
  })

  it('is made once in embedded mode, readable for nobody else', () => {
    const first = openWebhookKey(readConfig({}), { directory })
    expect(first).toHaveLength(32)
    expect(openWebhookKey(readConfig({}), { directory })).toEqual(first)
    const path = join(directory, 'webhook-key')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toBe(first?.toString('base64'))
  })

  it('is missing in platform mode unless given, and goes with a temporary database', () => {
    expect(openWebhookKey(readConfig({}), null)).toBe(null)
    expect(openWebhookKey(readConfig({}), { directory: null })).toHaveLength(32)
  })

  it.each(['short', Buffer.alloc(31).toString('base64'), `${'A'.repeat(43)}!`])('is not %s', text => {
    expect(() => readConfig({ SERVICE_WEBHOOK_KEY: text })).toThrow('SERVICE_WEBHOOK_KEY')
  })
})

describe('the secret of a webhook', () => {
  it('is derived from key, webhook and generation', () => {
    const secret = webhookSecret(key, 'wh_aaaaaaaaaaaaaaaa', 1)
    const mac = createHmac('sha256', key)
      .update('action-gate webhook v1wh_aaaaaaaaaaaaaaaa.1')
      .digest('base64')
    expect(secret).toBe(`whsec_${mac}`)
    const others = [
      webhookSecret(Buffer.alloc(32, 2), 'wh_aaaaaaaaaaaaaaaa', 1),
      webhookSecret(key, 'wh_aaaaaaaaaaaaaaab', 1),
      webhookSecret(key, 'wh_aaaaaaaaaaaaaaaa', 2),
    ]
    expect(new Set([secret, ...others]).size).toBe(4)
  })
})
