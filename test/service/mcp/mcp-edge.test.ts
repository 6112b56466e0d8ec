import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'
import { connect, rpc } from './mcp-client.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.tenant()
})
afterAll(() => service.close())

const at = (key = tenant.agent) => ({ url: service.url, key })

function post(body: string, headers: Record<string, string> = {}) {
  const given = { authorization: `Bearer ${tenant.agent}`, 'content-type': 'application/json', ...headers }
  return fetch(`${service.url}/mcp`, { method: 'POST', headers: given, body })
}

describe('the door of /mcp', () => {
  it('asks for a key, and says how it is shown', async () => {
    const answer = await fetch(`${service.url}/mcp`, { method: 'POST', body: '{}' })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await answer.json()).toMatchObject({ code: 'credential_required' })
  })

  it('takes keys of agents alone', async () => {
    const { status, body } = await rpc(at(tenant.approver), 'tools/list')
    expect([status, body]).toMatchObject([403, { code: 'wrong_scope' }])
  })

  it.each([
    ['Origin', 'https://elsewhere.example'],
    ['Host', 'elsewhere.example'],
  ])('refuses a foreign %s', async (name, value) => {
    const { port } = new URL(service.url)
    const headers = { [name]: value, authorization: `Bearer ${tenant.agent}`, 'content-length': '0' }
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers }
      request(options, answer => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(403)
  })

  it.each([
    ['what is no JSON', '{"a":', 400, { code: -32700, data: { code: 'malformed_json' } }],
    ['a name given twice', '{"a":1,"a":2}', 400, { code: -32700, data: { code: 'malformed_json' } }],
    ['a batch', '[]', 400, { code: -32600, data: { code: 'batch_refused' } }],
    ['what is no JSON-RPC', '{"hello":1}', 400, { code: -32600 }],
  ])('answers %s with a stable code', async (_, body, status, error) => {
    const answer = await post(body)
    expect([answer.status, await answer.json()]).toMatchObject([status, { error }])
  })

  it.each([
    ['application/json, text/event-stream', 200],
    ['text/event-stream;q=0.5, application/json', 200],
    ['*/*', 200],
    ['application/*, text/*', 200],
    ['application/json', 406],
    ['text/html', 406],
  ])('a handshake that accepts %s is %i', async (accept, status) => {
    const clientInfo = { name: 'raw', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect((await post(body, { accept })).status).toBe(status)
  })

  it('has no other method', async () => {
    const answer = await fetch(`${service.url}/mcp`)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('the list of tools', () => {
  it('is announced to a client that listens when another request changes the policy', async () => {
    const client = await connect(service.url, tenant.agent)
    const changed = new Promise<void>(resolve => {
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve())
    })
    const listening = await client.listen({ toolsListChanged: true })
    const policy = {
      allowed_systems: ['crm'],
      allowed_operations: { crm: ['read'] },
      approval_required_at: 'high',
      review_route: 'leads',
    }
    const before = await client.listTools()
    const path = `/v1/tenants/${tenant.id}/policy`
    expect((await service.call('PUT', path, { admin: service.admin, json: policy })).status).toBe(200)
    await changed
    const after = await rpc(at(), 'tools/list')
    expect(before.tools.map(({ name }) => name)).not.toContain('crm__read')
    expect(after.body.result?.tools?.map(({ name }) => name)).toContain('crm__read')
    await listening.close()
    await client.close()
  })
})

describe('while the database is away', () => {
  it('a list says so with a code, and nothing of a statement', async () => {
    const cut = await startService()
    const owner = await cut.tenant()
    const { store } = cut.context
    cut.context.store = { ...store, look: () => Promise.reject(new Error('select secret from tables')) }
    const { body } = await rpc({ url: cut.url, key: owner.agent }, 'tools/list')
    expect(body.error).toMatchObject({ code: -32603, data: { code: 'internal_error' } })
    expect(JSON.stringify(body)).not.toContain('secret')
    cut.context.store = store
    await cut.close()
  })
})
