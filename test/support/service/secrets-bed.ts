import { expect } from 'vitest'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { SecretChanged, SecretList } from '../../../shared/contract/configuration/secret-schema.ts'
import { canary, plantSecret } from '../audit/kept-logs.ts'
import { type Downstream, startDownstream } from '../fixtures/http-downstream.ts'
import { secretsEnvironment } from '../fixtures/secrets-keys.ts'
import type { Answer } from './http.ts'
import { startService, type TestService, type TestServiceOptions } from './service.ts'
import { plainPolicy, type TestTenant } from './tenant.ts'

/** A tenant with an actuator that needs a stored secret, another that needs none, and what they call. */
export interface SecretsBed {
  service: TestService
  tenant: TestTenant
  shop: Downstream
  send<Body>(method: string, path: string, json?: object): Promise<Answer<Body>>
  put(value: string, more?: object): Promise<Answer<SecretChanged>>
  list(): Promise<SecretList>
  register(actuators: RegisteredActuator[]): Promise<Answer<{ warnings: object[] }>>
  /** What the shop was shown, in the order of the calls. */
  shown(): (string | undefined)[]
  /** Propose a read of the shop; its id. */
  propose(system?: string): Promise<string>
  /** Waits until the action is in this state, or its job waits for this reason. */
  becomes(actionId: string, what: string): Promise<Trace>
  close(): Promise<void>
}

export const reader = (base_url: string, more: object = {}): RegisteredActuator =>
  ({
    name: 'shop',
    kind: 'http',
    settings: {
      base_url,
      auth: { type: 'bearer', token: { secret: 'shop_token' } },
      operations: { read: { method: 'POST', path: '/' } },
      ...more,
    },
  }) as RegisteredActuator

/** A value that may be in no log of the run. */
export function newValue(name: string): string {
  const value = canary(name)
  plantSecret(value)
  return value
}

export async function openSecretsBed(options: TestServiceOptions = {}): Promise<SecretsBed> {
  const shop = await startDownstream((_seen, response) => response.end('{}'))
  const service = await startService({ ...options, env: { ...secretsEnvironment, ...options.env } })
  const tenant = await service.tenant({
    issued: true,
    policy: { ...plainPolicy, allowed_systems: ['shop', 'other'] },
    actuators: [{ name: 'other', kind: 'mock', settings: {} }, reader(shop.url)],
  })
  const send = <Body>(method: string, path: string, json?: object) =>
    service.call<Body>(method, `/v1/tenants/${tenant.id}/${path}`, {
      admin: service.admin,
      ...(json ? { json } : {}),
    })
  return {
    service,
    tenant,
    shop,
    send,
    put: (value, more = {}) =>
      send<SecretChanged>('PUT', 'secrets/shop_token', { actuator: 'shop', value, ...more }),
    list: async () => (await send<SecretList>('GET', 'secrets')).body,
    register: actuators => send('PUT', 'actuators', { actuators }),
    shown: () => shop.seen.map(({ headers }) => headers.authorization),
    async propose(system = 'shop') {
      const { status, body } = await tenant.submit({ system })
      expect(status).toBeLessThan(300)
      return body.action_id
    },
    async becomes(actionId, what) {
      const read = async () => tenant.trace(actionId)
      await expect
        .poll(
          async () => {
            const { status, job } = await read()
            return [status, job?.last_error].includes(what) ? what : [status, job?.last_error]
          },
          { timeout: 20_000 },
        )
        .toBe(what)
      return read()
    },
    async close() {
      await service.close()
      await shop.close()
    },
  }
}
