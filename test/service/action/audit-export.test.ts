import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { recomputeAudit } from '../../support/audit/independent-audit.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ unsigned: true })
  tenant = await service.tenant()
})

afterAll(() => service.close())

async function exported(id: string): Promise<AuditExport> {
  const { status, body } = await service.call<AuditExport>('GET', `/v1/actions/${id}/audit-export`, {
    key: tenant.agent,
  })
  expect(status).toBe(200)
  return body
}

const lives = {
  async executed() {
    return (
      await tenant.submit({ parameters: { text: 'é 😀 \u202e "q"', number: 1.5e-7, nested: [{ a: null }] } })
    ).body
  },
  async denied() {
    return (await tenant.submit({ system: 'erp' })).body
  },
  async held() {
    return (await tenant.submit({ risk: 'high' })).body
  },
  async approved() {
    const { body } = await tenant.submit({ risk: 'high' })
    await tenant.approve(body.action_id, { note: 'go' })
    return body
  },
  async rejected() {
    const { body } = await tenant.submit({ risk: 'high' })
    await tenant.reject(body.action_id)
    return body
  },
}

describe('an audit export', () => {
  it.each(Object.entries(lives))(
    'of an action that was %s holds before independent code',
    async (_name, live) => {
      const { action_id } = await live()
      const audit = await exported(action_id)
      const { root, events } = recomputeAudit(audit)
      const trace = await tenant.trace(action_id)
      expect(trace.audit_root).toBe(root)
      expect(events.map(({ kind, payload }) => ({ kind, payload }))).toEqual(
        trace.events.map(({ kind, body }) => ({ kind, payload: body })),
      )
      expect(audit).toMatchObject({
        integrity_version: 'canonical-unsigned-v1',
        tenant_id: tenant.id,
        statement: null,
        log: { pending: true },
      })
    },
  )

  it('has the leaf hashes that the trace shows', async () => {
    const { action_id } = await lives.approved()
    const { events } = await tenant.trace(action_id)
    const audit = await exported(action_id)
    const links = audit.events.map(({ event }) => (JSON.parse(event) as { prev: string | null }).prev)
    expect(links).toEqual([
      null,
      ...events.slice(0, -1).map(({ leaf_hash }) => leaf_hash.replace('sha256:', '')),
    ])
  })

  it('does not hold once a byte of it is changed, or an event is gone', async () => {
    const { action_id } = await lives.executed()
    const audit = await exported(action_id)
    const tampered = (change: (copy: AuditExport) => void) => {
      const copy = structuredClone(audit)
      change(copy)
      return () => recomputeAudit(copy)
    }
    expect(
      tampered(({ events: [first] }) => {
        if (first) first.payload = { ...first.payload, summary: 'Something else' }
      }),
    ).toThrow('payload')
    expect(
      tampered(({ events: [, second] }) => {
        if (second) second.event = second.event.replace('"gate"', '"grue"')
      }),
    ).toThrow()
    expect(tampered(({ events }) => events.pop())).toThrow('root')
    expect(tampered(({ events }) => events.reverse())).toThrow()
  })

  it('grows by appending: what was exported before is its beginning', async () => {
    const { action_id } = await lives.held()
    const before = await exported(action_id)
    await tenant.approve(action_id)
    const after = await exported(action_id)
    expect(after.events.slice(0, before.events.length)).toEqual(before.events)
    expect(after.audit_root).not.toBe(before.audit_root)
  })

  it('has a salt of its own for every payload', async () => {
    const audits = [
      await exported((await lives.executed()).action_id),
      await exported((await lives.denied()).action_id),
    ]
    const salts = audits.flatMap(({ events }) => events.map(({ salt }) => salt))
    expect(new Set(salts).size).toBe(salts.length)
  })

  it('of an unknown action is 404', async () => {
    const { status, body } = await service.call<Problem>(
      'GET',
      `/v1/actions/act_${'0'.repeat(36)}/audit-export`,
      {
        key: tenant.agent,
      },
    )
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'action_not_found' })
  })

  it('that would not hold is not answered: the service checks its own', async () => {
    const { action_id } = await lives.denied()
    await asSuperuser(
      service.database,
      'alter table action_gate.event_payloads disable trigger user',
      `update action_gate.event_payloads set payload = '{}' where action_id = '${action_id}'`,
    )
    const { status, text } = await service.call('GET', `/v1/actions/${action_id}/audit-export`, {
      key: tenant.agent,
    })
    expect(status).toBe(500)
    expect(text).not.toContain('payload')
  })
})
