import { expect, it } from 'vitest'
import { freshDatabase } from '../../support/servers/database.ts'
import { startProxy } from '../../support/servers/proxy.ts'
import { startService } from '../../support/service/service.ts'

/** Every round cuts all connections to Postgres while submissions, approvals and claims are under way. */
it('keeps serving after its connections were cut under load, again and again', async () => {
  const database = await freshDatabase()
  const proxy = await startProxy(`${database.host}/.s.PGSQL.5432`)
  const service = await startService({
    database,
    databaseUrl: `postgres://${database.superuser}@127.0.0.1:${proxy.port}/${database.database}`,
    env: { SERVICE_STATEMENT_MS_MAX: '1000', SERVICE_SHUTDOWN_MS_MAX: '500', SERVICE_POOL_SIZE: '4' },
  })
  try {
    const tenant = await service.tenant()
    for (let round = 0; round < 6; round += 1) {
      const load = Array.from({ length: 24 }, () => tenant.submit({}, { prefer: 'wait=0' }))
      await Promise.race(load)
      await proxy.cut()
      const statuses = (await Promise.all(load)).map(({ status }) => status)
      expect(statuses.every(status => [200, 202, 503].includes(status))).toBe(true)
      await proxy.restore()
      const ready = async () => (await service.call('GET', '/v1/ready')).status
      await expect.poll(ready, { timeout: 10_000 }).toBe(200)
      const after = await tenant.submit({}, { prefer: 'wait=10' })
      expect(after.body.action_status).toBe('executed')
    }
  } finally {
    await service.close()
    await proxy.close()
    await database.drop()
  }
}, 60_000)
