import { expect } from 'vitest'
import { exampleOperation, examplePolicy } from '../../../shared/contract/examples/example-policy.ts'
import type { TestService } from './service.ts'
import { plainPolicy } from './tenant.ts'

/** Ids of what was made: keys, webhooks and a verification report. */
export type Configured = Record<'lead' | 'second' | 'ended' | 'revoked' | 'kept' | 'off' | 'report', string>

type Made = { key: { key_id: string }; webhook: { webhook_id: string }; report_id: string }

/** A tenant that has something of every kind in force, changed and taken back in every way. */
export async function configureTenant(service: TestService, id: string): Promise<Configured> {
  const made: Configured = { lead: '', second: '', ended: '', revoked: '', kept: '', off: '', report: '' }
  const send = async (method: string, path: string, json: object = {}) => {
    const answer = await service.call<Made>(method, path, { admin: service.admin, json })
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    return answer.body
  }
  const of = (path: string) => `/v1/tenants/${id}/${path}`
  const mint = async (name: string, more: object = {}) =>
    (await send('POST', of('api-keys'), { name, scope: 'approver', ...more })).key.key_id
  await send('POST', '/v1/tenants', { tenant_id: id, policy: plainPolicy, mock_actuators: ['crm'] })
  await send('PUT', of('policy'), { policy: examplePolicy, change_note: 'größer "\\' })
  await send('PUT', of('policy'), { ...plainPolicy, review_route: 'nights' })
  await send('POST', of('policy/rollback'), { revision: 2 })
  await send('POST', of('catalog'), { operations: [exampleOperation] })
  await send('PUT', of('catalog'), { operations: [{ ...exampleOperation, operation: 'other' }] })
  made.lead = await mint('lead')
  made.second = await mint('Lead ', { same_holder_as: made.lead })
  made.ended = await mint('ended', { expires_at: '2031-01-31T23:00:00.9999999+01:00' })
  made.revoked = await mint('revoked')
  await send('POST', of(`api-keys/${made.revoked}/revoke`))
  await send('POST', of(`api-keys/${made.revoked}/revoke`))
  await send('POST', of('freeze'), { reason: 'stop', system: 'mail' })
  await send('POST', of('freeze'), { reason: 'again', system: 'mail' })
  await send('POST', of('pause'), { reason: 'night', system: 'mail' })
  await send('POST', of('freeze'), { reason: 'lifted' })
  await send('POST', of('unfreeze'), { reason: 'go' })
  await send('POST', of('pause'), { reason: 'short' })
  await send('POST', of('resume'), { reason: 'on' })
  const hook = { url: 'https://hooks.example.org/one', event_types: ['action.settled', 'action.settled'] }
  const call = async () => (await send('POST', of('webhooks'), hook)).webhook.webhook_id
  made.kept = await call()
  made.off = await call()
  await send('POST', of(`webhooks/${made.kept}/rotate`), { overlap_ms: 0 })
  await send('PUT', of(`webhooks/${made.off}`), { ...hook, enabled: false, description: 'off' })
  await send('DELETE', of(`webhooks/${await call()}`))
  const settings = { base_url: 'https://api.shop.example/v1', operations: {} }
  await send('PUT', of('actuators'), { actuators: [{ name: 'crm', kind: 'http', settings }] })
  for (const name of ['kept', 'replaced', 'gone'])
    await send('PUT', of(`secrets/${name}`), { actuator: 'crm', value: 'a-value-of-a-test' })
  await send('PUT', of('secrets/replaced'), { actuator: 'crm', value: 'another-value-of-a-test' })
  await send('DELETE', of('secrets/gone'))
  const moved = { ...settings, base_url: 'https://api2.shop.example' }
  await send('PUT', of('actuators'), { actuators: [{ name: 'crm', kind: 'http', settings: moved }] })
  const confirmed = { version: 1, bound_to: ['https://api2.shop.example'] }
  await send('POST', of('secrets/kept/confirm'), confirmed)
  await send('PUT', of('actuators'), { actuators: [{ name: 'crm', kind: 'mock', settings: {} }] })
  const large = { name: 'large refund', operation: 'refund', where: { amount: { min: 501 } } }
  made.report = (await send('POST', of('policy/verify'), { forbidden: [large] })).report_id
  await send('PUT', of('verification-gate'), { required: true })
  return made
}
