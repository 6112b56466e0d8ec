import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../../../shared/runtime/settings/config.ts'
import { settings } from '../../../../shared/runtime/settings/settings.ts'

let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'action-gate-secrets-'))
})

afterAll(() => rmSync(directory, { recursive: true }))

function file(name: string, content: string): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

function issuesOf(read: () => unknown): { path: string; code: string; message: string }[] {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return [...error.issues]
    throw error
  }
  throw new Error('nothing was refused')
}

const secrets = [
  ['DATABASE_URL', 'database_url', 'postgres://gate:s3cret@host/gate'],
  ['DATABASE_OWNER_URL', 'database_owner_url', 'postgres://owner:s3cret@host/gate'],
  ['REDIS_URL', 'redis_url', 'redis://:s3cret@host:6379'],
  [
    'SERVICE_OIDC_ISSUERS',
    'oidc_issuers',
    '{"staff":{"title":"s3cret","issuer":"https://id.example","client_id":"gate","max_age_s":60,"acr_values":[],"scopes":[],"sign_up":true,"groups_claim":null,"groups":{}}}',
  ],
  [
    'SERVICE_OPERATOR_ISSUERS',
    'operator_issuers',
    '{"staff":{"title":"s3cret","issuer":"https://id.example","client_id":"gate","max_age_s":60,"acr_values":[],"scopes":[]}}',
  ],
  ['SERVICE_MCP_SERVERS', 'mcp_servers', '{"tickets":{"command":"npx","args":[],"env":{"KEY":"s3cret"}}}'],
  ['SERVICE_WEBHOOK_KEY', 'webhook_key', Buffer.alloc(32, 's3cret').toString('base64')],
  ['SERVICE_SMTP_URL', 'smtp_url', 'smtps://gate:s3cret@mail.example.org:465'],
  ['SERVICE_SECRETS_KEY', 'secrets_key', 's3cret'],
  ['SERVICE_SECRETS_PUBLIC_KEY', 'secrets_public_key', 's3cret'],
  ['SERVICE_METRICS_TOKEN', 'metrics_token', 's3cret-s3cret-s3cret-s3cret-s3cret'],
] as const

/** Bytes as they were written. */
const written = (value: unknown) => {
  if (value instanceof Map) return JSON.stringify(Object.fromEntries(value))
  return Buffer.isBuffer(value) ? value.toString('base64') : value
}

describe('a setting that holds a secret', () => {
  it('is one of these, and the signing key, whose file only a worker reads', () => {
    const rows = Object.values(settings)
    expect(rows.filter(row => 'secret' in row).map(({ env }) => env)).toEqual(secrets.map(([env]) => env))
    expect(rows.map(({ env }) => env)).toContain('SERVICE_SIGNING_KEY_FILE')
  })

  it.each(secrets)('%s comes from the file of _FILE, whatever its line end', (env, field, value) => {
    for (const [n, end] of ['', '\n', '\r\n'].entries()) {
      const config = readConfig({ [`${env}_FILE`]: file(`${env}-${n}`, value + end) })
      expect(written(config[field])).toBe(value)
    }
  })

  it.each(secrets)('%s and a file at once are refused', (env, _, value) => {
    const both = { [env]: value, [`${env}_FILE`]: file(env, value) }
    expect(issuesOf(() => readConfig(both))).toMatchObject([{ path: `${env}_FILE`, code: 'ambiguous' }])
  })

  it('is refused by its variable where the file is unreadable, empty or wrong', () => {
    const read = (path: string) => issuesOf(() => readConfig({ REDIS_URL_FILE: path }))
    expect(read(join(directory, 'none'))).toMatchObject([{ path: 'REDIS_URL_FILE', code: 'unreadable_file' }])
    expect(read(directory)).toMatchObject([{ path: 'REDIS_URL_FILE', code: 'unreadable_file' }])
    expect(read(file('empty', '\n'))).toMatchObject([{ path: 'REDIS_URL_FILE', code: 'empty_file' }])
    const wrong = read(file('wrong', 'http://:s3cret@host'))
    expect(wrong).toMatchObject([{ path: 'REDIS_URL' }])
    expect(JSON.stringify(wrong)).not.toContain('s3cret')
  })

  it('an empty variable names no file, and a setting without a password has none', () => {
    expect(readConfig({ DATABASE_URL_FILE: '', SERVICE_RATE_LIMIT_FILE: '/nowhere' })).toEqual(readConfig({}))
  })
})
