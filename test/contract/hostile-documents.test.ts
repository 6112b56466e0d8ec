import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exampleOperation } from '../../shared/contract/examples/example-policy.ts'
import { type PlatformProcess, startProcess } from '../support/platform/platform-process.ts'
import { databaseUrl } from '../support/service/service.ts'
import { plainPolicy } from '../support/service/tenant.ts'
import type { Operation } from './contract-document.ts'
import { type HostileTenant, hostileTenants } from './hostile-documents.ts'
import { type Asked, type Known, validRequest } from './valid-request.ts'
import { give, startWorld, type World } from './world.ts'

const ownerId = { value: '' }
let world: World
let served: PlatformProcess
let url: string

/** The tenants are asked of a process with the flags that the product is started with: there `__proto__` throws. */
beforeAll(async () => {
  world = await startWorld()
  const [account] = await world.service.context.store.read('all', reader =>
    reader.query<{ account_id: string }>('', 'select account_id from accounts', []),
  )
  ownerId.value = account?.account_id ?? ''
  served = startProcess({
    name: 'hostile documents',
    file: 'api/bin/service.js',
    flags: ['--port', '0'],
    environment: {
      DATABASE_URL: databaseUrl(world.service.database),
      SERVICE_HOSTED_ACCOUNTS: 'true',
      SERVICE_RATE_LIMIT: '1000000',
      SERVICE_QUEUE_PREFIX: 'hostile-documents',
      SERVICE_WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64'),
      SERVICE_SUBMIT_WAIT_MS: '0',
    },
  })
  const [line] = await served.logged('listening')
  url = String(line?.url)
})

afterAll(async () => {
  served.signal('SIGTERM')
  await served.exited
  await world.close()
})

/** Rows that would end the session or that run as long as a client listens. */
const apart = new Set(['log_out', 'stream_tenant', 'stream_owned_tenant', 'sign_up', 'log_in'])

function operationNamed(id: string): Operation {
  const found = world.document.operations.find(({ operationId }) => operationId === id)
  if (!found) throw new Error(`no operation ${id}`)
  return found
}

async function create(
  documents: HostileTenant,
): Promise<{ tenant_id: string; status: number; body: string }> {
  const tenant_id = `hostile-${randomBytes(8).toString('hex')}`
  const asked = validRequest(operationNamed('create_tenant'), world.known)
  const json = { tenant_id, mock_actuators: ['payments'], ...documents }
  const { status, text } = await world.ask(
    operationNamed('create_tenant'),
    { ...asked, body: JSON.stringify(json) },
    url,
  )
  return { tenant_id, status, body: text }
}

/** Asks every row of the endpoint table about the tenant, the reading ones first and last. */
async function askEverything(tenant_id: string, agent: string): Promise<void> {
  await give(world.service, ownerId.value, tenant_id)
  const { known } = world
  const mint = operationNamed('mint_key')
  const request = validRequest(mint, { ...known, params: { ...known.params, tenant_id } })
  const minted = await world.ask(mint, { ...request, body: '{"name":"lead","scope":"approver"}' }, url)
  expect(minted.status).toBe(201)
  const approver = (JSON.parse(minted.text) as { api_key: string }).api_key
  const credentials = { ...known.credentials, agent, approver }
  const ours: Known = { ...known, credentials, ownParams: {}, params: { ...known.params, tenant_id } }
  const rows = world.document.operations.filter(({ operationId }) => !apart.has(operationId))
  const reading = rows.filter(({ method }) => method === 'GET')
  for (const operation of [...rows, ...reading]) {
    await expectNoFailure(operation, validRequest(operation, ours))
  }
}

async function expectNoFailure(operation: Operation, asked: Asked): Promise<void> {
  const { status, text } = await world.ask(operation, asked, url)
  expect({ row: operation.operationId, failed: status >= 500, ...(status >= 500 ? { text } : {}) }).toEqual({
    row: operation.operationId,
    failed: false,
  })
}

async function isKnown(tenant_id: string): Promise<boolean> {
  const operation = operationNamed('read_policy')
  const { status } = await world.ask(
    operation,
    validRequest(operation, { ...world.known, params: { tenant_id } }),
    url,
  )
  return status !== 404
}

const constrained = (path: string): HostileTenant => ({
  policy: {
    ...plainPolicy,
    allowed_operations: { crm: ['read'] },
    parameter_constraints: { crm: { read: { [path]: { min: 1 } } } },
  },
})

const ofSchema = (more: object): HostileTenant => ({
  policy: { ...plainPolicy, allowed_systems: ['payments'] },
  catalog: {
    operations: [
      {
        ...exampleOperation,
        parameter_schema: { type: 'object', properties: {}, additionalProperties: false, ...more },
      } as never,
    ],
  },
})

describe('a tenant of hostile documents', () => {
  const impossible: [string, HostileTenant][] = [
    ['a constraint below __proto__', constrained('order.__proto__.id')],
    ['__proto__ among the required', ofSchema({ required: ['__proto__'] })],
    ['__proto__ among the dependent required', ofSchema({ dependentRequired: { a: ['__proto__'] } })],
  ]

  it.each(impossible)('with %s is refused, and leaves nothing', async (_, documents) => {
    const { tenant_id, status, body } = await create(documents)
    expect({ status, body: status === 201 ? null : JSON.parse(body) }).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', errors: [{ code: 'reserved_name' }] },
    })
    expect(await isKnown(tenant_id)).toBe(false)
  })

  it('is refused and leaves nothing, or every row answers for it', async () => {
    const made = { refused: 0, stored: 0 }
    await fc.assert(
      fc.asyncProperty(hostileTenants, async documents => {
        const { tenant_id, status, body } = await create(documents)
        expect({ status, body: status === 500 ? body : '' }).not.toMatchObject({ status: 500 })
        if (status !== 201) {
          made.refused += 1
          expect(await isKnown(tenant_id)).toBe(false)
        } else {
          made.stored += 1
          await askEverything(tenant_id, (JSON.parse(body) as { api_key: string }).api_key)
        }
      }),
      { numRuns: 20, seed: 2026, endOnFailure: true },
    )
    expect(made.refused).toBeGreaterThan(2)
    expect(made.stored).toBeGreaterThan(2)
  }, 240_000)
})
