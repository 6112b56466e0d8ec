import { afterAll, beforeAll, expect, it } from 'vitest'
import { approveAction } from '../../../shared/flow/action/decide-approval.ts'
import { idTracer } from '../../../shared/runtime/telemetry/open-tracer.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { type DatabaseProxy, startProxy } from '../../support/servers/proxy.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** A commit that was made and whose answer was lost is neither called a failure nor made twice (reliability, fault 2). */
let database: FreshDatabase
let proxy: DatabaseProxy
let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  database = await freshDatabase()
  proxy = await startProxy(`${database.host}/.s.PGSQL.5432`)
  service = await startService({
    database,
    databaseUrl: `postgres://${database.superuser}@127.0.0.1:${proxy.port}/${database.database}`,
    env: { SERVICE_APPROVE_WAIT_MS: '0' },
    worker: null,
  })
  tenant = await service.tenant()
})

afterAll(async () => {
  await service.close()
  await proxy.close()
  await database.drop()
})

async function losing<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  const before = proxy.commitsLost()
  proxy.loseNextCommit()
  const answer = await request()
  expect(proxy.commitsLost()).toBe(before + 1)
  return answer
}

async function held(): Promise<string> {
  const { body } = await tenant.submit({ risk: 'high' })
  expect(body.action_status).toBe('pending_approval')
  return body.action_id
}

const kinds = async (id: string) => (await tenant.trace(id)).events.map(({ kind }) => kind)

it('a proposal is answered from its row', async () => {
  const { status, body } = await losing(() => tenant.submit({}, { prefer: 'wait=0' }))
  expect({ status, decision: body.decision }).toEqual({ status: 202, decision: 'allow' })
  expect(await kinds(body.action_id)).toEqual(['proposal_received', 'verdict'])
})

it('an approval is answered from its row, and is one', async () => {
  const id = await held()
  const { status, body } = await losing(() => tenant.approve(id))
  expect({ status, at: body.action_status }).toEqual({ status: 202, at: 'execution_pending' })
  expect(await kinds(id)).toEqual(['proposal_received', 'verdict', 'approval'])
  expect(await tenant.approve(id)).toMatchObject({ status: 409 })
})

it('a rejection is answered from its row', async () => {
  const id = await held()
  const { status, body } = await losing(() => tenant.reject(id))
  expect({ status, at: body.action_status }).toEqual({ status: 200, at: 'denied' })
  expect(await kinds(id)).toEqual(['proposal_received', 'verdict', 'rejection'])
})

it('a comment is answered from its row, and is one', async () => {
  const id = await held()
  const path = `/v1/actions/${id}/comments`
  const json = { kind: 'comment', text: 'who pays?' }
  const { status } = await losing(() => service.call('POST', path, { key: tenant.approver, json }))
  expect(status).toBe(200)
  expect(await kinds(id)).toEqual(['proposal_received', 'verdict', 'comment'])
})

it('an approval lost before its commit is not taken for that of a request beside it', async () => {
  const id = await held()
  const { context } = service
  let losses = 0
  const lossy: typeof context.store = {
    ...context.store,
    async write(scope, work) {
      if (losses++ > 0) return context.store.write(scope, work)
      expect(await tenant.approve(id)).toMatchObject({ status: 202 })
      throw Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' })
    },
  }
  const [key_id = ''] = tenant.approver.split('.')
  const key = { key_id, name: 'approver', scope: 'approver', tenant_id: tenant.id } as const
  const second = approveAction(
    { ...context, store: lossy },
    { decider: { key }, action_id: id, request: {}, wait_ms: 0, span: idTracer.begin('server', null) },
  )
  await expect(second).rejects.toMatchObject({ code: 'action_not_approvable' })
  expect(losses).toBe(2)
  expect((await kinds(id)).filter(kind => kind === 'approval')).toHaveLength(1)
})
