import { expect, it } from 'vitest'
import { freshDatabase } from '../support/database.ts'
import { startProxy } from '../support/proxy.ts'
import { startService } from '../support/service.ts'

it('x', async () => {
  const database = await freshDatabase()
  const proxy = await startProxy(`${database.host}/.s.PGSQL.5432`)
  const service = await startService({
    database,
    databaseUrl: `postgres://${database.superuser}@127.0.0.1:${proxy.port}/${database.database}`,
    env: { SERVICE_STATEMENT_MS_MAX: '1000', SERVICE_SHUTDOWN_MS_MAX: '200', SERVICE_POOL_SIZE: '2' },
  })
  const tenant = await service.tenant()
  const t0 = performance.now(); const lap = (x: string) => process.stderr.write(`${x} ${Math.round(performance.now() - t0)}\n`)
  for (let i = 0; i < 8; i++) {
  const load = Array.from({ length: 20 }, () => tenant.submit({}, { prefer: 'wait=0' }))
  await new Promise(r => setTimeout(r, 5))
  await proxy.cut()
  const st = (await Promise.all(load)).map(x => x.status)
  lap('cut ' + st.join())
  await proxy.restore()
  await expect.poll(async () => (await service.call('GET', '/v1/ready')).status, { timeout: 10_000 }).toBe(200)
  lap('ready')
  const r = await tenant.submit()
  lap('ok ' + r.body.action_status)
  }
  for (const [n, p] of [['writer', service.context.store.writer], ['reader', service.context.store.reader]] as const) {
    const t = performance.now()
    await p.sql.end({ timeout: 5 })
    lap(n + ' ' + (performance.now() - t))
  }
  await service.close()
  lap('closed')
  await proxy.close()
  await database.drop()
}, 60_000)
