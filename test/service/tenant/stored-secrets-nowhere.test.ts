import { afterAll, beforeAll, expect, it } from 'vitest'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { everyRow } from '../../support/servers/every-row.ts'
import { signUp } from '../../support/service/owner.ts'
import { newValue, openSecretsBed, reader, type SecretsBed } from '../../support/service/secrets-bed.ts'
import { databaseUrl } from '../../support/service/service.ts'

/** Values that were written, used, refused, replaced and deleted, by operators and owners, are looked for wherever something is told. */
let bed: SecretsBed
let echo: Downstream

beforeAll(async () => {
  bed = await openSecretsBed({
    platform: true,
    env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_STREAM_MS_MAX: '1000' },
  })
  echo = await startDownstream(({ headers }, response) => {
    response.statusCode = 422
    response.end(JSON.stringify({ you_sent: headers.authorization, again: [headers.authorization] }))
  })
})

afterAll(async () => {
  await bed.close()
  await echo.close()
})

it('a stored secret is in the call that shows it, and in no other place', async () => {
  const { service, tenant } = bed
  const texts: string[] = []
  const keep = async (answer: Promise<{ text: string }>) => texts.push((await answer).text)
  const values = Array.from({ length: 6 }, (_, at) => newValue(`stored-${at}`))
  const [used = '', replaced = '', refused = '', misplaced = '', owned = '', wrong = ''] = values

  await keep(bed.put(used))
  const done = await bed.propose()
  await bed.becomes(done, 'executed')
  expect(bed.shown()).toEqual([`Bearer ${used}`])

  // A downstream that repeats what it was sent, in an answer that is recorded.
  await bed.register([reader(echo.url)])
  await keep(bed.put(replaced))
  const failed = await bed.propose()
  await bed.becomes(failed, 'execution_failed')
  expect(echo.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${replaced}`])

  await keep(
    bed.send('PUT', 'secrets/shop_token', {
      actuator: 'shop',
      value: refused,
      bound_to: ['https://x.example'],
    }),
  )
  await keep(bed.send('PUT', `secrets/${misplaced}`, { actuator: 'shop', value: misplaced.slice(0, 5) }))
  await keep(
    bed.send('PUT', 'secrets/shop_token', { actuator: 'shop', value: [wrong], [wrong.slice(0, 8)]: wrong }),
  )
  const owner = await signUp(service.call)
  await keep(
    owner.browser.call('PUT', owner.path('/secrets/shop_token'), {
      json: { actuator: 'none', value: owned },
    }),
  )
  await keep(owner.browser.call('GET', owner.path('/secrets')))

  for (const { method, path, access } of Object.values(endpoints)) {
    if (method !== 'GET') continue
    for (const actionId of [done, failed]) {
      const place = path
        .replace('{tenant_id}', tenant.id)
        .replace('{action_id}', actionId)
        .replace('{revision}', '1')
        .replace('{name}', 'secret')
      const key = access === 'approver' ? tenant.approver : tenant.agent
      await keep(service.call('GET', place, access === 'admin' ? { admin: service.admin } : { key }))
    }
  }
  await keep(bed.send('DELETE', 'secrets/shop_token'))
  const url = databaseUrl(service.database)
  const checked = await checkDatabase({ url, trusted: [], kept: [], resume: null, onPage: () => undefined })
  expect(checked.differences).toEqual({ found: 0, listed: [] })
  texts.push(JSON.stringify(checked), service.logged(), await everyRow(service.database))
  texts.push(await service.context.events.registry.metrics())

  expect(texts.length).toBeGreaterThan(50)
  for (const value of values) {
    const spellings = [
      value,
      ...(['hex', 'base64'] as const).map(as => Buffer.from(value).toString(as).replace(/=+$/, '')),
    ]
    for (const spelling of spellings) expect(texts.filter(text => text.includes(spelling))).toEqual([])
  }
}, 90_000)
