import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkTrace } from '../../../shared/audit/event/check-trace.ts'
import type { AuditExport, ErasureResponse } from '../../../shared/contract/action/action.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { insertLateResult } from '../../../shared/store/job/reconcile-attempts.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.tenant()
})
afterAll(() => service.close())

const erase = (id: string, of = tenant) =>
  service.call<ErasureResponse & Problem>('POST', `/v1/tenants/${of.id}/actions/${id}/erase`, {
    admin: service.admin,
    json: { reason: 'asked for by the person concerned' },
  })

const exportOf = async (id: string) =>
  (await service.call<AuditExport>('GET', `/v1/actions/${id}/audit-export`, { key: tenant.agent })).body

async function executed(summary = 'Read a contact'): Promise<string> {
  const { body } = await tenant.submit({ summary, proposal_id: summary })
  await tenant.settled(body.action_id)
  return body.action_id
}

describe('an action whose content was erased', () => {
  it('has its events, roots and proofs, and nothing of what they say', async () => {
    const secret = 'Marlene Musterfrau, Hauptstr. 1'
    const { body } = await tenant.submit({ summary: secret, parameters: { name: secret } })
    const id = body.action_id
    await tenant.settled(id)
    const before = await exportOf(id)
    const { status, body: erased } = await erase(id)
    expect({ status, erased }).toMatchObject({
      status: 200,
      erased: { action_id: id, action_status: 'executed' },
    })
    const after = await exportOf(id)
    expect(after.events.slice(0, -1)).toEqual(
      before.events.map(({ event }) => ({ event, salt: null, payload: null })),
    )
    expect(after.events.at(-1)?.payload).toEqual({ reason: 'asked for by the person concerned' })
    expect(after.audit_root).toBe(erased.audit_root)
    expect(checkTrace(after.events, tenant.id, id)).toMatchObject({ ok: true, root: after.audit_root })
    expect(after).toMatchObject({ statement: expect.any(String), log: { entries: expect.any(Array) } })
    expect(await whereIs(secret)).toEqual([])
  })

  it('is gone from traces and lists, and says so', async () => {
    const id = await executed('gone')
    await erase(id)
    const gone = { status: 410, body: { code: 'action_erased' } }
    expect(await service.call('GET', `/v1/actions/${id}`, { key: tenant.agent })).toMatchObject(gone)
    expect(await tenant.submit({ proposal_id: 'gone', summary: 'gone' })).toMatchObject(gone)
    const { body } = await service.call<{ actions: { action_id: string }[] }>(
      'GET',
      '/v1/actions?limit=200',
      { key: tenant.agent },
    )
    expect(body.actions.map(({ action_id }) => action_id)).not.toContain(id)
  })

  it('cannot be erased twice', async () => {
    const id = await executed('twice')
    expect((await erase(id)).status).toBe(200)
    expect(await erase(id)).toMatchObject({ status: 409, body: { code: 'action_not_erasable' } })
    expect((await exportOf(id)).events.at(-1)?.payload).toHaveProperty('reason')
  })

  it('is erased once, whoever asks at the same time', async () => {
    const id = await executed('at-once')
    const answers = await Promise.all([erase(id), erase(id), erase(id), erase(id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    expect((await exportOf(id)).events.at(-1)?.payload).toHaveProperty('reason')
  })

  it('leaves no hash without a salt, from which it could be guessed', async () => {
    const id = await executed('guess-me')
    const [before] = await hashOf(id)
    await erase(id)
    expect(await whereIs(before?.proposal_hash ?? '')).toEqual([])
    const other = await tenant.submit({ proposal_id: 'guess-me', summary: 'another' })
    expect(other).toMatchObject({ status: 410, body: { code: 'action_erased' } })
  })

  it('is not brought back by a result that comes late', async () => {
    const id = await executed('late')
    await erase(id)
    const late = { action_id: id, tenant_id: tenant.id, token: 1, worker: 'wrk_1', detail: { name: 'late' } }
    await service.context.store.write([tenant.id], writer => insertLateResult(writer, late))
    const kept = `select token from late_results where action_id = '${id}'`
    expect(await asReader(service.context.store, kept)).toEqual([])
  })
})

describe('content stays', () => {
  it('of an action that is not at its end', async () => {
    const { body } = await tenant.submit({ risk: 'high' })
    expect(await erase(body.action_id)).toMatchObject({
      status: 409,
      body: { code: 'action_not_erasable', detail: 'the action is pending_approval' },
    })
    expect((await tenant.trace(body.action_id)).proposal).not.toBeNull()
  })

  it('of an action of another tenant, and of a neighbour', async () => {
    const other = await service.tenant()
    const id = await executed('mine')
    const neighbour = await executed('neighbour')
    expect((await erase(id, other)).status).toBe(404)
    expect((await erase(id)).status).toBe(200)
    expect((await tenant.trace(neighbour)).proposal.summary).toBe('neighbour')
  })

  it('where no admin asks', async () => {
    const id = await executed('agent')
    const answer = await service.call('POST', `/v1/tenants/${tenant.id}/actions/${id}/erase`, {
      key: tenant.agent,
      json: { reason: 'x' },
    })
    expect(answer.status).toBeGreaterThanOrEqual(401)
    expect((await tenant.trace(id)).proposal.summary).toBe('agent')
  })
})

const hashOf = (id: string) =>
  asReader<{ proposal_hash: string }>(
    service.context.store,
    `select proposal_hash from actions where action_id = '${id}'`,
  )

/** Tables of the service that hold a text somewhere. */
async function whereIs(text: string): Promise<string[]> {
  const tables = await asReader<{ name: string }>(
    service.context.store,
    `select table_name as name from information_schema.tables where table_schema = 'action_gate'`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const hex = Buffer.from(text).toString('hex')
    const [row] = await asReader(
      service.context.store,
      `select 1 from ${name} as t where t::text like '%${text}%' or t::text like '%${hex}%' limit 1`,
    )
    if (row) found.push(name)
  }
  return found
}
