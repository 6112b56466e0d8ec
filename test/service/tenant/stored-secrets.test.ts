import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { startDownstream } from '../../support/fixtures/http-downstream.ts'
import { newValue, openSecretsBed, reader, type SecretsBed } from '../../support/service/secrets-bed.ts'

/** A secret that a tenant stored: from the request that writes it to the call that shows it, and no further. */
let bed: SecretsBed

beforeAll(async () => {
  bed = await openSecretsBed()
})

afterAll(() => bed.close())

const codes = (warnings: readonly object[]) => warnings.map(warning => (warning as { code: string }).code)

it('PUT, list and job tell a missing secret, which stops that actuator alone', async () => {
  const { body } = await bed.register([reader(bed.shop.url), { name: 'other', kind: 'mock', settings: {} }])
  expect(body.warnings).toEqual([
    {
      path: 'actuators[1].settings.auth.token.secret',
      code: 'secret_missing',
      message: 'no secret shop_token is stored: write it for shop',
    },
  ])
  expect(await bed.list()).toMatchObject({
    secrets: [],
    can_write: true,
    needs: [
      { actuator: 'shop', name: 'shop_token', source: 'tenant', state: 'missing', places: [bed.shop.url] },
    ],
  })
  const [waiting, other] = [await bed.propose(), await bed.propose('other')]
  await bed.becomes(other, 'executed')
  await bed.becomes(waiting, 'secret_missing')
  expect(bed.shop.seen).toEqual([])

  const value = newValue('first')
  const written = await bed.put(value)
  expect(written.status).toBe(200)
  expect(written.body.warnings).toEqual([])
  expect(written.body.secret).toMatchObject({
    name: 'shop_token',
    version: 1,
    actuator: 'shop',
    bound_to: [bed.shop.url],
    written_by: { scope: 'admin' },
    first_used_at: null,
  })
  await bed.becomes(waiting, 'executed')
  expect(bed.shown()).toEqual([`Bearer ${value}`])
  const { secrets, needs } = await bed.list()
  expect(secrets).toMatchObject([{ version: 1, first_used_at: expect.any(String) }])
  expect(needs).toMatchObject([{ state: 'ready', message: null }])
})

it('a new version is used from the next call on, and a deleted one by none', async () => {
  const value = newValue('second')
  expect((await bed.put(value)).body.secret).toMatchObject({ version: 2, first_used_at: null })
  await bed.becomes(await bed.propose(), 'executed')
  expect(bed.shown().at(-1)).toBe(`Bearer ${value}`)
  const before = bed.shop.seen.length
  const deleted = await bed.send('DELETE', 'secrets/shop_token')
  expect(deleted).toMatchObject({ status: 200, body: { secret: { version: 2 } } })
  const waiting = await bed.propose()
  await bed.becomes(waiting, 'secret_missing')
  expect(bed.shop.seen.length).toBe(before)
  expect((await bed.send<Problem>('DELETE', 'secrets/shop_token')).body.code).toBe('secret_not_found')
  // The number goes on, so that no version is ever two values.
  expect((await bed.put(newValue('third'))).body.secret.version).toBe(3)
  await bed.becomes(waiting, 'executed')
})

it('writes and the first use of a version are events without the value', async () => {
  expect(await eventsOf(bed)).toEqual([
    ['secret_revision', { change: 'written', name: 'shop_token', version: 1 }],
    ['secret_used', { name: 'shop_token', version: 1 }],
    ['secret_revision', { change: 'written', name: 'shop_token', version: 2 }],
    ['secret_used', { name: 'shop_token', version: 2 }],
    ['secret_revision', { change: 'deleted', name: 'shop_token', version: 2 }],
    ['secret_revision', { change: 'written', name: 'shop_token', version: 3 }],
    ['secret_used', { name: 'shop_token', version: 3 }],
  ])
})

describe('an actuator that is registered for another address', () => {
  it('loses the secret until somebody confirms where it goes now', async () => {
    const elsewhere = await startDownstream((_seen, response) => response.end('{}'))
    try {
      const { secret } = (await bed.put(newValue('bound'))).body
      const { body } = await bed.register([reader(elsewhere.url)])
      expect(codes(body.warnings)).toEqual(['secret_unconfirmed'])
      const waiting = await bed.propose()
      await bed.becomes(waiting, 'secret_unconfirmed')
      expect(elsewhere.seen).toEqual([])
      const { needs } = await bed.list()
      expect(needs).toMatchObject([{ state: 'unconfirmed', places: [elsewhere.url] }])

      const confirm = (version: number, place: string) =>
        bed.send<Problem>('POST', 'secrets/shop_token/confirm', { version, bound_to: [place] })
      const refused = [await confirm(secret.version, bed.shop.url), await confirm(1, elsewhere.url)]
      expect(refused.map(({ body: { code } }) => code)).toEqual(['secret_mismatch', 'secret_mismatch'])
      expect(elsewhere.seen).toEqual([])
      expect(await confirm(secret.version, elsewhere.url)).toMatchObject({
        status: 200,
        body: { secret: { bound_to: [elsewhere.url], confirmed_by: { scope: 'admin' } }, warnings: [] },
      })
      await bed.becomes(waiting, 'executed')
      expect(elsewhere.seen).toHaveLength(1)
      expect((await eventsOf(bed)).at(-2)).toEqual([
        'secret_revision',
        { change: 'confirmed', name: 'shop_token', version: secret.version },
      ])
    } finally {
      await bed.register([reader(bed.shop.url)])
      await elsewhere.close()
    }
  })

  it('cannot be written for where it was thought to be', async () => {
    const answer = await bed.send<Problem>('PUT', 'secrets/shop_token', {
      actuator: 'shop',
      value: newValue('mistaken'),
      bound_to: ['https://shop.example'],
    })
    expect([answer.status, answer.body.code]).toEqual([409, 'secret_mismatch'])
  })
})

it('another actuator of the tenant that names it does not get it', async () => {
  await bed.put(newValue('own'))
  const thief = { ...reader(bed.shop.url), name: 'other' }
  const { body } = await bed.register([reader(bed.shop.url), thief])
  expect(body.warnings).toMatchObject([
    { path: 'actuators[0].settings.auth.token.secret', code: 'secret_missing' },
  ])
  const before = bed.shop.seen.length
  await bed.becomes(await bed.propose('other'), 'secret_missing')
  expect(bed.shop.seen.length).toBe(before)
})

it('another tenant with the same names does not get it', async () => {
  await bed.put(newValue('of one tenant'))
  const other = await bed.service.tenant({
    policy: { allowed_systems: ['shop'], approval_required_at: 'medium', review_route: 'leads' },
    actuators: [reader(bed.shop.url)],
  })
  const before = bed.shop.seen.length
  const { body } = await other.submit({ system: 'shop' })
  await expect
    .poll(async () => (await other.trace(body.action_id)).job?.last_error, { timeout: 20_000 })
    .toBe('secret_missing')
  expect(bed.shop.seen.length).toBe(before)
})

describe('a write is refused', () => {
  const actuator = 'shop'
  it.each([
    ['of a short value', { actuator, value: 'short' }, 'validation_failed'],
    ['of white space', { actuator, value: 'x'.repeat(10).concat('\n') }, 'validation_failed'],
    ['of what is no text', { actuator, value: ['a-secret-in-a-list'] }, 'validation_failed'],
    ['for an actuator that is not there', { actuator: 'none', value: 'long-enough' }, 'actuator_not_found'],
    ['for one without an address', { actuator: 'plain', value: 'long-enough' }, 'validation_failed'],
  ])('%s', async (_, json, code) => {
    await bed.register([reader(bed.shop.url), { name: 'plain', kind: 'mock', settings: {} }])
    const { body, text } = await bed.send<Problem>('PUT', 'secrets/some_name', json)
    expect(body.code).toBe(code)
    for (const value of [json.value].flat()) expect(text).not.toContain(value)
  })

  it('under a name that could be that of a variable', async () => {
    const { body } = await bed.send<Problem>('PUT', 'secrets/ACTUATOR_X', { actuator, value: 'long-enough' })
    expect(body.code).toBe('tenant_not_found')
  })
})

/** Kind and payload of the events about secrets, without their actuator and places. */
async function eventsOf({ service, tenant }: SecretsBed): Promise<[string, object][]> {
  const rows = await service.context.store.read('all', reader =>
    reader.query<{ kind: string; payload: string }>(
      'events_of_secrets',
      `select e.kind, convert_from(p.payload, 'UTF8') as payload from config_events e join config_payloads p using (tenant_id, sequence)
       where e.tenant_id = $1 and starts_with(e.kind, 'secret_') order by sequence`,
      [tenant.id],
    ),
  )
  return rows.map(({ kind, payload }) => {
    const { actuator: _actuator, bound_to: _places, ...rest } = JSON.parse(payload) as Record<string, unknown>
    return [kind, rest]
  })
}
