import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { secretsEnvironment } from '../../support/fixtures/secrets-keys.ts'
import { needs } from '../../support/helper-programs.ts'
import { openTerminal, type Terminal } from '../../support/platform/terminal.ts'
import { newValue } from '../../support/service/secrets-bed.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let mail: Downstream
let place: string
let tenant: TestTenant
let terminal: Terminal | null = null

beforeAll(async () => {
  mail = await startDownstream((_seen, response) => response.end('{"sent":true}'))
  place = await mkdtemp(join(tmpdir(), 'tools-terminal-'))
  service = await startService({
    env: { ...secretsEnvironment, SERVICE_EGRESS_ALLOW: new URL(mail.url).host },
  })
})

beforeEach(async context => {
  needs(context, 'script')
  mail.seen.length = 0
  tenant = await service.tenant({
    policy: { allowed_systems: [], approval_required_at: 'high', review_route: 'leads' },
    actuators: [],
  })
})

afterEach(async () => {
  await terminal?.close()
  terminal = null
})

afterAll(async () => {
  await service.close()
  await mail.close()
  await rm(place, { recursive: true })
})

/** `npm run tools`, as a person runs it. */
function typed(words: string): Terminal {
  terminal = openTerminal(`${process.execPath} dist/api/bin/service-tools.js ${words}`, {
    ACTION_GATE_URL: service.url,
    ACTION_GATE_ADMIN_KEY: service.admin,
    ACTION_GATE_TENANT: tenant.id,
  })
  return terminal
}

/** A document of the shop of letters, which asks for a bearer. */
async function document(): Promise<string> {
  const file = join(place, 'openapi.json')
  const text = {
    openapi: '3.1.0',
    info: { title: 'Mail' },
    servers: [{ url: mail.url }],
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/letters': { get: { operationId: 'list' }, post: { operationId: 'send' } },
    },
  }
  await writeFile(file, JSON.stringify(text))
  return file
}

async function systems(): Promise<string[]> {
  const path = `/v1/tenants/${tenant.id}/tools`
  const { body } = await service.call<{ tools: { system: string }[] }>('GET', path, { admin: service.admin })
  return body.tools.map(({ system }) => system)
}

it('a person confirms, types a secret that is not shown, and confirms a call', async () => {
  const secret = newValue('typed')
  const add = typed(`add ${await document()}`)
  await add.printed(/(Apply this to \S+ as one revision\? \[y\/N\])/)
  add.enter('y')
  await add.printed(/(mail_token, the bearer token \(not shown; empty: later\):)/)
  add.enter(secret)
  await add.printed(/(stored: mail_token)/)
  expect(await add.exited).toBe(0)
  expect(add.output()).toMatch(/applied: policy revision 2, catalog revision 1/)
  expect(add.output()).not.toContain(secret)
  expect(await systems()).toEqual(['mail'])
  const attempt = typed('try send')
  await attempt.printed(/(send may change something there\. Call it\? \[y\/N\])/)
  expect(mail.seen).toEqual([])
  attempt.enter('yes')
  expect(await attempt.exited).toBe(0)
  expect(attempt.output()).toMatch(/executed by \S+: it was done\s+recorded as test_\w+, which is no action/)
  expect(mail.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${secret}`])
}, 60_000)

it.each<[string, (at: Terminal) => void]>([
  ['Enter', at => at.enter('')],
  ['anything but yes', at => at.enter('yellow')],
  ['Ctrl-C', at => at.pressCtrlC()],
])(
  '%s at a question is a no, and nothing is written',
  async (_what, answer) => {
    const add = typed(`add ${await document()}`)
    await add.printed(/(\[y\/N\])/)
    answer(add)
    expect(await add.exited).toBe(1)
    expect(add.output()).toContain('nothing was written')
    expect(await systems()).toEqual([])
  },
  60_000,
)

it('a first catalog names what it denies before it is applied', async () => {
  tenant = await service.tenant({
    policy: {
      allowed_systems: ['notes', 'letters'],
      allowed_operations: { letters: ['open', 'burn'] },
      approval_required_at: 'high',
      review_route: 'leads',
    },
    actuators: [],
  })
  const add = typed(`add ${await document()}`)
  await add.printed(/(Apply this to \S+ as one revision, and deny what has no entry\? \[y\/N\])/)
  const shown = add.output()
  expect(shown).toMatch(/denied from now on, since the first catalog has no entry for it:/)
  expect(shown).toMatch(/letters: burn, open/)
  expect(shown).toMatch(/notes: every operation/)
  add.enter('')
  expect(await add.exited).toBe(1)
  expect(await systems()).toEqual(['letters', 'notes'])
}, 60_000)
