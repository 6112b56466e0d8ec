import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { asReader } from '../fixtures/ad-hoc.ts'
import {
  everyEnd,
  everyType,
  makeWebhook,
  startReceiver,
  type TestReceiver,
  webhookEnvironment,
} from '../fixtures/webhook-receiver.ts'
import { startService, type TestService } from './service.ts'
import { type ProposalChange, plainPolicy, type TestTenant } from './tenant.ts'

/** A busy machine takes its time. */
export const patient = { timeout: 15_000, interval: 20 }

/** Reads are allowed, and payments held. */
export const paymentPolicy = { ...plainPolicy, allowed_operations: { crm: ['read', 'pay'] } }

/** A held payment, with a card that no message may tell. */
export async function holdPayment(tenant: TestTenant, change: ProposalChange = {}): Promise<string> {
  const payment = { operation: 'pay', risk: 'high', parameters: { card: '4711' } } as const
  return (await tenant.submit({ ...payment, ...change })).body.action_id
}

/** A service that sends messages, a fresh tenant for each test, and endpoints that go with it. */
export function webhookBed() {
  let service: TestService
  let tenant: TestTenant
  const open: TestReceiver[] = []
  beforeAll(async () => {
    service = await startService({
      platform: true,
      env: { ...webhookEnvironment, SERVICE_APPROVE_WAIT_MS: '5000' },
    })
  })
  beforeEach(async () => {
    tenant = await service.tenant(everyEnd)
  })
  afterEach(async () => {
    for (const { close } of open.splice(0)) await close()
  })
  afterAll(() => service.close())
  const receiver: typeof startReceiver = async answer => {
    const started = await startReceiver(answer)
    open.push(started)
    return started
  }
  return {
    get service() {
      return service
    },
    get tenant() {
      return tenant
    },
    receiver,
    hook: (url: string, change: object = {}) =>
      makeWebhook(service, tenant.id, { url, event_types: everyType, ...change }),
    /** The action has come to its end, and the log has taken that up. */
    async allLogged(actionId: string): Promise<void> {
      await tenant.settled(actionId)
      const waiting = `select from log_outbox where tenant_id = '${tenant.id}'`
      await expect.poll(() => asReader(service.context.store, waiting), patient).toEqual([])
    },
  }
}
