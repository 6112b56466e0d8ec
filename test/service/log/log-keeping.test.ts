import { describe, expect, it } from 'vitest'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import { sequenceLog } from '../../../shared/flow/log/sequence-log.ts'
import { lockTenant } from '../../../shared/store/tenant/tenant-rows.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { freshDatabase } from '../../support/servers/database.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal, type TestTenant } from '../../support/service/tenant.ts'

async function logged(service: TestService, { agent: key }: TestTenant): Promise<AuditExport> {
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', { key, json: proposal() })
  const path = `/v1/actions/${body.action_id}/audit-export`
  return (await service.call<AuditExport>('GET', path, { key })).body
}

describe('what a worker without keys integrates', () => {
  it('is signed by the next one that has them', async () => {
    const database = await freshDatabase()
    const first = await startService({ database })
    const tenant = await first.tenant()
    await logged(first, tenant)
    await first.close()
    const keyless = await startService({ database, unsigned: true })
    const { action_id, statement } = await logged(keyless, tenant)
    expect(statement).toBeNull()
    const waiting = () => asReader(keyless.context.store, 'select id from log_outbox')
    await expect.poll(waiting).toEqual([])
    await keyless.close()
    const last = await startService({ database })
    const path = `/v1/actions/${action_id}/audit-export`
    const { body } = await last.call<AuditExport>('GET', path, { key: tenant.agent })
    expect(body).toMatchObject({ integrity_version: 'canonical-signed-v1', statement: expect.any(String) })
    await last.close()
    await database.drop()
  })

  it('is unsigned where nobody ever signs', async () => {
    const service = await startService({ unsigned: true })
    const exported = await logged(service, await service.tenant())
    expect(exported).toMatchObject({ integrity_version: 'canonical-unsigned-v1', statement: null })
    await service.close()
  })
})

describe('a log that somebody damaged', () => {
  it.each([
    ['has lost subtrees', 'delete from action_gate.log_nodes'],
    ['has other ones', `update action_gate.log_nodes set hash = sha256('x')`],
  ])('and %s does not keep those of others waiting', async (_, damage) => {
    const service = await startService()
    const [tenant, other] = [await service.tenant(), await service.tenant()]
    await logged(service, tenant)
    await logged(service, other)
    await asSuperuser(
      service.database,
      'alter table action_gate.log_nodes disable trigger user',
      `${damage} where tenant_id = '${tenant.id}'`,
    )
    const { body } = await tenant.submit()
    await expect.poll(() => service.logged()).toContain('log damaged')
    expect((await logged(service, other)).log).toHaveProperty('checkpoint')
    const left = `select distinct stream from log_outbox where tenant_id = '${tenant.id}'`
    expect(await asReader(service.context.store, left)).toEqual([{ stream: `action/${body.action_id}` }])
    const { text } = await service.call('GET', '/metrics')
    expect(text).toContain('action_gate_logs_damaged_total 1')
    await service.close()
  })

  it('and whose events were removed before they were in it delays no other tenant', async () => {
    const service = await startService()
    const [tenant, other] = [await service.tenant(), await service.tenant()]
    await asSuperuser(
      service.database,
      `insert into action_gate.log_outbox (tenant_id, stream, first_sequence, event_count)
       select '${tenant.id}', 'action/gone_' || i, 0, 2 from generate_series(1, 600) i`,
    )
    expect((await logged(service, other)).log).toHaveProperty('checkpoint')
    expect(service.logged()).toContain('its next events are gone')
    await service.close()
  })

  it('and whose next events are already in it does not keep those of others waiting', async () => {
    const service = await startService()
    const [tenant, other] = [await service.tenant(), await service.tenant()]
    const { action_id } = await logged(service, tenant)
    await asSuperuser(
      service.database,
      `insert into action_gate.log_outbox (tenant_id, stream, first_sequence, event_count)
       values ('${tenant.id}', 'action/${action_id}', 0, 1)`,
    )
    await expect.poll(() => service.logged(), { timeout: 10_000 }).toContain('log damaged')
    expect((await logged(service, other)).log).toHaveProperty('checkpoint')
    const { text } = await service.call('GET', '/metrics')
    expect(text).toContain('action_gate_logs_damaged_total 1')
    await service.close()
  })

  it('is made also while the configuration of its tenant is being changed', async () => {
    const service = await startService({ worker: null })
    const tenant = await service.tenant()
    await service.context.store.change([tenant.id], async query => {
      await lockTenant(query, tenant.id)
      await sequenceLog(service.context, new Set())
    })
    const [log] = await asReader(
      service.context.store,
      `select size from tenant_logs where tenant_id = '${tenant.id}'`,
    )
    expect(log).toBeDefined()
    await service.close()
  })
})
