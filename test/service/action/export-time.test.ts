import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exportAudit } from '../../../shared/flow/action/export-audit.ts'
import type { Context } from '../../../shared/flow/core/context.ts'
import { wallTimeMs } from '../../../shared/runtime/clock.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy } from '../../support/service/tenant.ts'

let database: FreshDatabase
let service: TestService

beforeAll(async () => {
  database = await freshDatabase()
  service = await startService({ database })
})

afterAll(async () => {
  await service.close()
  await database.drop()
})

it('an export states a time before its snapshot was read', async () => {
  const policy = { ...plainPolicy, allowed_systems: ['mock'] }
  const tenant = await service.tenant({ policy, actuators: [{ name: 'mock', kind: 'mock', settings: {} }] })
  const { body } = await tenant.submit({ system: 'mock' })
  const begun: number[] = []
  const { store } = service.context
  const read: Context['store']['read'] = async (tenants, reading) => {
    const at = wallTimeMs()
    begun.push(at)
    const answer = await store.read(tenants, reading)
    while (wallTimeMs() <= at + 1) await delay(1)
    return answer
  }
  const context = { ...service.context, store: { ...store, read } }
  const wanted = { tenant_id: tenant.id, action_id: body.action_id, from_size: null }
  const { exported_at } = await exportAudit(context, wanted)
  expect(begun.length).toBeGreaterThan(0)
  expect(Date.parse(exported_at)).toBeLessThanOrEqual(Math.max(...begun))
})
