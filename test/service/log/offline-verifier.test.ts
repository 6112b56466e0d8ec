import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTrustedKeys, type TrustedKey } from '../../../shared/audit/note/trusted-keys.ts'
import type { Verification } from '../../../shared/audit/verify/verification.ts'
import { verifyEvent } from '../../../shared/audit/verify/verify-event.ts'
import { type Grounds, verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import type { LogCheckpoint, TlogProofs } from '../../../shared/contract/action/audit-log.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import { askForGrant } from '../../support/service/ask-for-grant.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant

const mock = (name: string, outcome: 'ok' | 'failed' | 'retry' | 'unknown'): RegisteredActuator => ({
  name,
  kind: 'mock',
  settings: { outcome },
})

beforeAll(async () => {
  service = await startService({ env: { SERVICE_EXECUTE_WITHIN_MS: '500' } })
  tenant = await service.tenant({
    policy: {
      allowed_systems: ['crm', 'ill', 'busy', 'dark'],
      approval_required_at: 'medium',
      review_route: 'x',
    },
    actuators: [mock('crm', 'ok'), mock('ill', 'failed'), mock('busy', 'retry'), mock('dark', 'unknown')],
  })
})
afterAll(() => service.close())

async function trusted(): Promise<TrustedKey[]> {
  const keys = readTrustedKeys((await service.call('GET', '/v1/audit/keys')).text)
  if (!keys.ok) throw new Error(keys.error)
  return keys.value
}

/** The bytes that the service sent, against the keys that it publishes. */
async function verified(actionId: string, more: Partial<Grounds> = {}, query = ''): Promise<Verification> {
  const path = `/v1/actions/${actionId}/audit-export${query}`
  const { text } = await service.call('GET', path, { key: tenant.agent })
  return verifyExport(Buffer.from(text), { trusted: await trusted(), ...more })
}

async function submitted(system: string, risk: 'low' | 'high' = 'low'): Promise<string> {
  const { body } = await tenant.submit({ system, risk, parameters: { text: 'é😀"\u001f', n: 1.5e-7 } })
  return body.action_id
}

describe('what the service exports holds before the offline verifier', () => {
  it.each([
    ['executed', 'crm', 'the action ended as executed'],
    ['refused by the downstream', 'ill', 'the action ended as execution_failed'],
    ['tried until its time was over', 'busy', 'the action ended as execution_failed'],
    ['denied', 'erp', 'the action ended as denied'],
  ])('where it was %s', async (_, system, ending) => {
    const id = await submitted(system)
    await tenant.settled(id)
    const found = await verified(id)
    expect(found).toMatchObject({ outcome: 'verified', problem: null })
    expect(found.checks.find(({ name }) => name === 'ending')?.reason).toBe(ending)
  })

  it('where it was approved, and where it was rejected', async () => {
    const [approved, rejected] = [await submitted('crm', 'high'), await submitted('crm', 'high')]
    expect(await verified(approved)).toMatchObject({ outcome: 'verified_open', problem: null })
    await tenant.approve(approved, { note: 'go' })
    await tenant.settled(approved)
    await tenant.reject(rejected)
    for (const id of [approved, rejected])
      expect(await verified(id)).toMatchObject({ outcome: 'verified', problem: null })
  })

  it('where a grant allowed it', async () => {
    await askForGrant(service, tenant, { constraints: { n: { equals: 1.5e-7 } } })
    const id = await submitted('crm', 'high')
    await tenant.settled(id)
    const found = await verified(id)
    expect(found).toMatchObject({ outcome: 'verified', problem: null })
    expect(found.checks.find(({ name }) => name === 'authorisation')?.reason).toBe(
      'a grant allowed it, within its bounds',
    )
  })

  it('where nobody knows what became of it', async () => {
    const id = await submitted('dark')
    await tenant.settled(id)
    const found = await verified(id)
    expect(found).toMatchObject({ outcome: 'verified_open', problem: null })
    expect(found.checks.find(({ name }) => name === 'ending')?.reason).toContain('outcome_unknown')
  })

  it('where its content was erased', async () => {
    const id = await submitted('crm', 'high')
    await tenant.approve(id)
    await tenant.settled(id)
    const path = `/v1/tenants/${tenant.id}/actions/${id}/erase`
    await service.call('POST', path, { admin: service.admin, json: { reason: 'asked for' } })
    const found = await verified(id)
    expect(found).toMatchObject({ outcome: 'verified', problem: null })
    expect(found.checks.filter(({ erased }) => erased).map(({ name }) => name)).toContain('payloads')
  })

  it('against a checkpoint that was kept from earlier', async () => {
    await verified(await submitted('crm'))
    const path = '/v1/audit/checkpoint'
    const { body: kept } = await service.call<LogCheckpoint>('GET', path, { key: tenant.agent })
    const id = await submitted('crm')
    await tenant.settled(id)
    const grounds = { olderCheckpoint: kept.checkpoint, log: kept.origin }
    const found = await verified(id, grounds, `?from_size=${kept.size}`)
    expect(found).toMatchObject({ outcome: 'verified', problem: null, notes: [] })
  })

  it('event by event, where its proofs are asked for', async () => {
    const id = await submitted('crm')
    await tenant.settled(id)
    const path = `/v1/actions/${id}/audit-export?format=tlog-proof`
    const { origin, proofs } = (await service.call<TlogProofs>('GET', path, { key: tenant.agent })).body
    const grounds = { trusted: await trusted(), log: origin ?? '' }
    const found = proofs.map(({ event, proof }) =>
      verifyEvent(Buffer.from(event), Buffer.from(proof), grounds),
    )
    expect(found.map(({ outcome }) => outcome)).toEqual(Array(4).fill('verified'))
  })
})
