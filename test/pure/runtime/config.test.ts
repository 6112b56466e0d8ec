import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../../shared/runtime/settings/config.ts'
import { readFlags } from '../../../shared/runtime/settings/flags.ts'
import { settings } from '../../../shared/runtime/settings/settings.ts'

function issuesOf(read: () => unknown): { path: string; message: string }[] {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return [...error.issues]
    throw error
  }
  throw new Error('nothing was refused')
}

describe('the environment', () => {
  it('needs nothing: every default is a valid value', () => {
    const config = readConfig({})
    expect(config).toMatchObject({
      body_limit: 256 * 1024,
      rate_limit: 600,
      auth_failure_limit: 10,
      approval_ttl_ms: 7 * 24 * 3600 * 1000,
      strict: false,
      base_url: '',
    })
    expect([config.database_url, config.redis_url, config.submit_wait_ms]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('an empty variable is one that is not set', () => {
    expect(readConfig({ SERVICE_RATE_LIMIT: '', DATABASE_URL: '' })).toEqual(readConfig({}))
  })

  it.each([
    ['SERVICE_BODY_LIMIT', '1m', 'body_limit', 1024 ** 2],
    ['SERVICE_BODY_LIMIT', '64K', 'body_limit', 65_536],
    ['SERVICE_BODY_LIMIT', '1000', 'body_limit', 1_000],
    ['SERVICE_STRICT', 'true', 'strict', true],
    ['SERVICE_SUBMIT_WAIT_MS', '0', 'submit_wait_ms', 0],
    ['SERVICE_TRUST_PROXY', '10.0.0.0/8, ::1', 'trust_proxy', '10.0.0.0/8, ::1'],
    ['SERVICE_BASE_URL', 'https://gate.example.org/gate/', 'base_url', 'https://gate.example.org/gate'],
    ['SERVICE_BASE_URL', '/gate', 'base_url', '/gate'],
    ['DATABASE_URL', 'postgresql://u@h/d', 'database_url', 'postgresql://u@h/d'],
  ] as const)('%s=%s is read', (name, text, field, value) => {
    expect(readConfig({ [name]: text })[field]).toBe(value)
  })

  it.each([
    ['DATABASE_URL', 'mysql://localhost'],
    ['REDIS_URL', 'localhost:6379'],
    ['SERVICE_BODY_LIMIT', '1g'],
    ['SERVICE_BODY_LIMIT', '-1'],
    ['SERVICE_RATE_LIMIT', '0'],
    ['SERVICE_RATE_LIMIT', '1e3'],
    ['SERVICE_RATE_LIMIT', '10 '],
    ['SERVICE_STRICT', 'yes'],
    ['SERVICE_TRUST_PROXY', 'true'],
    ['SERVICE_BASE_URL', 'gate.example.org'],
    ['SERVICE_BASE_URL', '//gate.example.org'],
    ['SERVICE_BASE_URL', 'https://'],
    ['SERVICE_BASE_URL', 'https://gate.example.org/?a=b'],
    ['SERVICE_BASE_URL', 'https://gate.example.org/a;b'],
    ['SERVICE_BASE_URL', '/v1/gate'],
    ['SERVICE_BASE_URL', 'https://gate.example.org/app'],
    ['SERVICE_SUBMIT_WAIT_MS', '30001'],
    ['SERVICE_WORKER_PORT', '65536'],
    ['SERVICE_QUEUE_PREFIX', 'a:b'],
    ['SERVICE_LOG_LEVEL', 'loud'],
  ])('%s=%s is refused by its name', (name, text) => {
    expect(issuesOf(() => readConfig({ [name]: text })).map(({ path }) => path)).toEqual([name])
  })

  const follows = 'follows the primary (api/docs/deploy.md#one-address)'
  it.each([
    ['DATABASE_URL', 'postgres://u@a,b/d', follows],
    ['DATABASE_URL', 'postgres://u:p,w@a:5432,b:5433/d', follows],
    ['DATABASE_OWNER_URL', 'postgres://u@/d?host=a,b', follows],
    ['DATABASE_URL', 'postgres://u@a/d?target_session_attrs=read-write', follows],
    ['REDIS_URL', 'redis+sentinel://a:26379/0', follows],
    ['REDIS_URL', 'sentinel://a', follows],
    ['DATABASE_URL', 'postgres://u@a/d?sslmode=prefer', 'disable, require, verify-full'],
    ['DATABASE_URL', 'postgres://u@a/d?sslmode=verify-ca', 'disable, require, verify-full'],
    ['DATABASE_URL', 'postgres://u:p/w@a/d', '%2F'],
    ['DATABASE_URL', 'mysql://a/d', 'must be a postgres:// URL'],
  ])('%s=%s has its way', (name, text, way) => {
    expect(issuesOf(() => readConfig({ [name]: text }))).toEqual([
      expect.objectContaining({ path: name, message: expect.stringContaining(way) }),
    ])
    if (name.startsWith('DATABASE') && text.startsWith('postgres'))
      expect(issuesOf(() => readFlags(['--tenant-db', text], 'service'))[0]?.message).toContain(way)
  })

  it.each(['postgres://u:p,w@a/d', 'postgres://u@a/d?sslmode=verify-full&sslrootcert=/ca.pem'])(
    '%s is taken',
    text => {
      expect(readConfig({ DATABASE_URL: text }).database_url).toBe(text)
    },
  )

  it('names every wrong variable at once', () => {
    const wrong = { SERVICE_STRICT: '1', SERVICE_LEASE_MS: 'x' }
    expect(issuesOf(() => readConfig(wrong)).map(({ path }) => path)).toEqual([
      'SERVICE_STRICT',
      'SERVICE_LEASE_MS',
    ])
  })

  it('has one variable per setting', () => {
    const names = Object.values(settings).map(({ env }) => env)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('the flags', () => {
  it('default to a loopback address and nothing else', () => {
    expect(readFlags([], 'service')).toEqual({
      step: undefined,
      host: '127.0.0.1',
      port: 8080,
      config: undefined,
      tenantDb: undefined,
      apiKeyDb: undefined,
      bootstrapAdminKeyName: undefined,
      actuators: [],
      platform: false,
    })
  })

  it('are read, --actuators more than once', () => {
    const line =
      '--host ::1 --port=0 --config c.json --tenant-db d --api-key-db k --bootstrap-admin-key-name ops'
    const flags = readFlags(
      [...line.split(' '), '--actuators', 'a.js', '--actuators', 'b.js', '--platform'],
      'service',
    )
    expect(flags).toEqual({
      step: undefined,
      host: '::1',
      port: 0,
      config: 'c.json',
      tenantDb: 'd',
      apiKeyDb: 'k',
      bootstrapAdminKeyName: 'ops',
      actuators: ['a.js', 'b.js'],
      platform: true,
    })
  })

  it.each([
    ['--port 65536', '--port'],
    ['--port -1', 'command line'],
    ['--port 80a', '--port'],
    ['--port', 'command line'],
    ['--bootstrap-admin-key-name=', '--bootstrap-admin-key-name'],
    ['--host=', '--host'],
    ['--tenant-db=', '--tenant-db'],
    ['--api-key-db=', '--api-key-db'],
    ['--tenant-db mysql://localhost/gate', '--tenant-db'],
    ['--api-key-db https://localhost/gate', '--api-key-db'],
    ['--verbose', 'command line'],
    ['serve', 'command line'],
    ['migrate migrate', 'command line'],
    ['bootstrap', 'command line'],
    ['bootstrap ops more', 'command line'],
    ['constructor', 'command line'],
    ['rewrap-secrets', 'command line'],
    ['--platform=yes', 'command line'],
  ])('%s is refused', (line, path) => {
    expect(issuesOf(() => readFlags(line.split(' '), 'service')).map(issue => issue.path)).toEqual([path])
  })

  it('know the steps of their own program', () => {
    const given = { step: 'migrate', tenantDb: 'd' }
    expect(readFlags(['migrate', '--tenant-db', 'd'], 'service')).toMatchObject(given)
    const made = { step: 'bootstrap', bootstrapAdminKeyName: 'ops' }
    expect(readFlags(['bootstrap', 'ops'], 'service')).toMatchObject(made)
    expect(readFlags(['rewrap-secrets'], 'worker')).toMatchObject({ step: 'rewrap-secrets' })
    const [issue] = issuesOf(() => readFlags(['bootstrap', 'ops'], 'worker'))
    expect(issue?.message).toBe('the program service does that: service bootstrap NAME')
  })

  it('an unknown flag is named', () => {
    const [issue] = issuesOf(() => readFlags(['--verbose'], 'service'))
    expect(issue?.message).toContain('--verbose')
  })
})

describe('the servers that workers may start', () => {
  const read = (text: string) => readConfig({ SERVICE_MCP_SERVERS: text }).mcp_servers

  it('are named, each with its program, arguments and environment', () => {
    const server = { command: 'npx', args: ['-y', 'tickets'], env: { KEY: { env: 'ACTUATOR_KEY' }, A: 'b' } }
    expect(read(JSON.stringify({ tickets: server, plain: { command: 'x' } }))).toEqual(
      new Map<string, unknown>([
        ['tickets', server],
        ['plain', { command: 'x', args: [], env: {} }],
      ]),
    )
  })

  it.each([
    'tickets',
    '{"tickets":"npx"}',
    '{"tickets":{}}',
    '{"tickets":{"command":"x","shell":true}}',
    '{"a":{"command":"x"},"a":{"command":"y"}}',
    '{"../a":{"command":"x"}}',
    '{"a":{"command":"x","env":{"K":{"env":"DATABASE_URL"}}}}',
  ])('are not read from %s', text => {
    expect(issuesOf(() => read(text)).map(({ path }) => path)).toEqual(['SERVICE_MCP_SERVERS'])
  })
})
