import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { toolHash } from '../../../shared/actuator/mcp/tool-request.ts'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import { sameUser } from '../../support/fixtures/mcp-callers.ts'
import { needs } from '../../support/helper-programs.ts'
import { processesOf } from '../../support/platform/processes.ts'
import { openTerminal, type Terminal } from '../../support/platform/terminal.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { createClient } from '../../support/service/http.ts'
import { makePlace, type ServicePlace } from '../../support/service/service-process.ts'
import { plainPolicy, proposal } from '../../support/service/tenant.ts'

const definition = {
  name: 'refund',
  description: 'Refund a charge.',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { charge: { type: 'string' } },
    required: ['charge'],
  },
}

let place: ServicePlace
let terminal: Terminal
let client: ReturnType<typeof createClient> | undefined
let held: string

beforeEach(async context => {
  place = await makePlace(null)
  held = join(place.directory, 'held')
  needs(context, 'script')
})
afterEach(async () => {
  client?.close()
  await terminal.close()
  await place.clear()
})

/** A service on a terminal, whose call of an MCP program is under way. */
async function callUnderWay() {
  const settings = {
    transport: { type: 'stdio', server: 'refunds' },
    tools: { refund: { tool_schema_hash: toolHash(definition) } },
  }
  const policy = {
    ...plainPolicy,
    allowed_systems: ['refunds'],
    allowed_operations: { refunds: ['refund'] },
  }
  const actuators = [{ name: 'refunds', kind: 'mcp', settings }]
  const config = join(place.directory, 'config.json')
  await writeFile(config, JSON.stringify({ tenants: [{ tenant_id: 'shop', policy, actuators }] }))
  const program = join(repositoryRoot, 'dist/test/support/fixtures/mcp-program.js')
  const env = { MCP_HELD: held }
  const servers = { refunds: { command: process.execPath, args: [program], env, user: sameUser } }
  const db = join(place.directory, 'db')
  const flags = `--port 0 --tenant-db ${db} --config ${config} --bootstrap-admin-key-name ops`
  terminal = openTerminal(`exec node dist/api/bin/service.js ${flags}`, {
    SERVICE_MCP_SERVERS: JSON.stringify(servers),
  })
  const opened = createClient(await terminal.printed(/ listening url=(\S+)/))
  client = opened
  const admin = await terminal.printed(/admin api key \(shown once\): (\S+)/)
  const minted = await opened.call<{ api_key: string }>('POST', '/v1/tenants/shop/api-keys', {
    admin,
    json: { name: 'agent' },
  })
  const json = proposal({ system: 'refunds', operation: 'refund', parameters: { charge: 'held' } })
  const headers = { prefer: 'wait=30' }
  const answer = opened.call<Verdict>('POST', '/v1/actions', { key: minted.body.api_key, json, headers })
  answer.catch(() => undefined)
  await expect.poll(() => existsSync(`${held}.called`), { timeout: 20_000 }).toBe(true)
  return { answer, client: opened, program: Number(readFileSync(`${held}.called`, 'utf8')) }
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}

it('Ctrl-C lets the call of an MCP program end', async () => {
  const { answer, client, program } = await callUnderWay()
  terminal.pressCtrlC()
  // It says that it ends, and then listens no more.
  const ending = () =>
    client.call('GET', '/v1/ready').then(
      ({ status }) => status === 503,
      () => true,
    )
  await expect.poll(ending, { timeout: 10_000 }).toBe(true)
  await writeFile(`${held}.released`, '')
  expect((await answer).body.action_status).toBe('executed')
  expect(await terminal.exited, terminal.output()).toBe(0)
  expect(isRunning(program)).toBe(false)
}, 60_000)

it('an MCP program ends with a service that is killed', async () => {
  const { program } = await callUnderWay()
  const service = processesOf(join(place.directory, 'config.json')).find(pid =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('node'),
  )
  process.kill(Number(service), 'SIGKILL')
  await expect.poll(() => isRunning(program), { timeout: 10_000 }).toBe(false)
}, 60_000)
