import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addTool } from '../../../api/bin/tools/add-tool.ts'
import type { Terminal } from '../../../api/bin/tools/terminal.ts'
import { openDesk } from '../../../api/bin/tools/tool-desk.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { ToolProposal } from '../../../shared/contract/configuration/tool-import.ts'
import { type McpEndpoint, serveMcp } from '../../support/fixtures/mcp-server.ts'
import { secretsEnvironment } from '../../support/fixtures/secrets-keys.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { newValue } from '../../support/service/secrets-bed.ts'
import { startService, type TestService } from '../../support/service/service.ts'

/** An API alone, as in platform mode, and a worker beside it that can open what is stored. */
let service: TestService
let beside: TestService
let server: McpEndpoint
let owner: TestOwner
const bearer = newValue('bearer')

beforeAll(async () => {
  const script = { description: 'Refunds a charge', refund: () => 'refunded', meta: [] }
  server = await serveMcp(script, { bearer })
  const env = {
    ...secretsEnvironment,
    SERVICE_HOSTED_ACCOUNTS: 'true',
    SERVICE_EGRESS_ALLOW: new URL(server.url).host,
  }
  service = await startService({ env, worker: null, platform: true })
  beside = await startService({ env, database: service.database, platform: true })
  owner = await signUp(service.call)
})

afterAll(async () => {
  await beside.close()
  await service.close()
  await server.close()
})

const importOf = (proof: object, secrets?: Record<string, string>) => ({
  system: 'refunds',
  source: { kind: 'mcp', transport: { type: 'streamable_http', url: server.url, ...proof } },
  ...(secrets ? { secrets } : {}),
})

const asked = <Body>(json: object) => owner.browser.call<Body>('POST', owner.path('/tool-imports'), { json })

const named = { bearer: { secret: 'refunds_token' } }

describe('a server that asks for a bearer', () => {
  it.each<[string, object, Record<string, string> | undefined, string]>([
    ['without one', {}, undefined, 'the server asks for a credential (status 401): '],
    ['whose secret is not stored', named, undefined, 'give its value with the import'],
    [
      'with a wrong one',
      named,
      { refunds_token: newValue('wrong') },
      'the server does not accept the credential (status 401)',
    ],
  ])('is not listed %s, and the answer says what to do', async (_how, proof, secrets, said) => {
    const { status, body } = await asked<Problem>(importOf(proof, secrets))
    expect(status).toBe(422)
    expect(body.detail).toContain(said)
    expect(JSON.stringify(body)).not.toContain(Object.values(secrets ?? {})[0] ?? bearer)
  })

  it('is imported with a value that is kept nowhere, and called once it is stored', async () => {
    const { status, body } = await asked<ToolProposal>(importOf(named, { refunds_token: bearer }))
    expect({ status, body }).toMatchObject({ status: 200, body: { system: 'refunds' } })
    expect(body.operations.map(({ operation }) => operation)).toEqual(['refund'])
    expect(JSON.stringify(body)).not.toContain(bearer)
    expect(await rowsWith(bearer)).toEqual([])
    const operations = body.operations.map(({ entry }) => entry)
    const put = (path: string, json: object) => owner.browser.call('PUT', owner.path(path), { json })
    expect((await put('/tools/refunds', { actuator: body.actuator, operations })).status).toBe(200)
    expect((await put('/secrets/refunds_token', { actuator: 'refunds', value: bearer })).status).toBe(200)
    expect(await executed()).toBe('executed')
    expect(await rowsWith(bearer)).toEqual([])
    expect(service.logged() + beside.logged()).not.toContain(bearer)
  })

  it('is added on a terminal, which asks for the value and does not show it', async () => {
    const tenant = await service.tenant({
      policy: { allowed_systems: [], approval_required_at: 'high', review_route: 'leads' },
      actuators: [],
    })
    const said: string[] = []
    const questions: string[] = []
    const terminal: Terminal = {
      say: text => void said.push(text),
      asks: true,
      confirm: async () => true,
      hidden: async question => {
        questions.push(question)
        return bearer
      },
    }
    const desk = await openDesk({ url: service.url, admin_key: service.admin, tenant: tenant.id })
    await addTool(desk, terminal, { source: server.url, mcp: true, system: 'refunds' })
    expect(questions).toEqual(['refunds_token, the bearer token of the server (not shown):'])
    expect(said.join('\n')).toContain('stored: refunds_token')
    expect(said.join('\n')).not.toContain(bearer)
    const nobody = { ...terminal, asks: false }
    const again = addTool(desk, nobody, { source: server.url, mcp: true, system: 'others' })
    await expect(again).rejects.toThrow(/asks for a credential \(status 401\)/)
  })
})

async function executed(): Promise<string> {
  const json = {
    proposal_id: 'refund-1',
    actor: { agent_id: 'agent' },
    summary: 'Refund a charge',
    action: { target_system: 'refunds', operation: 'refund', parameters: { charge: 'ch_1' } },
    risk: { level: 'low' },
  }
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: owner.agent,
    json,
  })
  const path = owner.path(`/actions/${body.action_id}/approve`)
  const approved = await owner.browser.call('POST', path, { json: {} })
  expect([200, 202]).toContain(approved.status)
  const status = async () =>
    (await service.call<{ status: string }>('GET', `/v1/actions/${body.action_id}`, { key: owner.agent }))
      .body.status
  await expect.poll(status, { timeout: 20_000 }).toBe('executed')
  return status()
}

/** Tables in which a text stands anywhere. */
async function rowsWith(text: string): Promise<string[]> {
  const tables = await asSuperuser<{ name: string }>(
    service.database,
    `select tablename as name from pg_tables where schemaname = 'action_gate'`,
  )
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const hex = Buffer.from(text).toString('hex')
      const sql = `select 1 from action_gate.${name} t where t::text like '%${text}%' or t::text like '%${hex}%' limit 1`
      return (await asSuperuser(service.database, sql)).length > 0 ? [name] : []
    }),
  )
  return found.flat()
}
