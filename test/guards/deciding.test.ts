import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../shared/contract/base/errors.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import { waitingStatements } from '../support/servers/waiting-statements.ts'
import { plantKey } from '../support/service/plant-key.ts'
import { startService, type TestService } from '../support/service/service.ts'
import type { TestTenant } from '../support/service/tenant.ts'

/** Nobody sweeps and nothing runs: what is refused here is refused by the deciding statement. */
let service: TestService
let tenant: TestTenant
let sql: postgres.Sql

beforeAll(async () => {
  service = await startService({ worker: null, env: { SERVICE_APPROVE_WAIT_MS: '0' } })
  tenant = await service.tenant()
  const { host, database, superuser } = service.database
  sql = postgres({ host, database, user: superuser, max: 2 })
})

afterAll(async () => {
  await sql.end()
  await service.close()
})

async function held(): Promise<string> {
  return (await tenant.submit({ risk: 'high' })).body.action_id
}

const said = ({ status, body }: { status: number; body: unknown }) =>
  `${status} ${(body as Problem).code ?? 'done'}`

it('a hold that is over cannot be decided any more, though nobody swept it', async () => {
  const id = await held()
  await asSuperuser(
    service.database,
    `update action_gate.actions set held_until = clock_timestamp() - interval '1 ms' where action_id = '${id}'`,
  )
  expect(said(await tenant.approve(id))).toBe('409 action_not_approvable')
  expect(said(await tenant.reject(id))).toBe('409 action_not_approvable')
  expect((await tenant.trace(id)).status).toBe('pending_approval')
})

describe('a key that is revoked while its decision is under way', () => {
  async function approver() {
    const { api_key, key } = await plantKey(service.context, {
      name: 'lead',
      scope: 'approver',
      tenant_id: tenant.id,
      expires_at: null,
    })
    return { api_key, key_id: key.key_id }
  }

  const approve = (id: string, key: string) =>
    service.call('POST', `/v1/actions/${id}/approve`, { key, json: {}, headers: { prefer: 'wait=0' } })

  const waiting = () => waitingStatements(service.database)

  it('decides nothing where the revocation is committed first', async () => {
    const { api_key, key_id } = await approver()
    const id = await held()
    let answer: ReturnType<typeof approve> | undefined
    await sql.begin(async revoking => {
      await revoking`update action_gate.api_keys set revoked_at = now() where key_id = ${key_id}`
      answer = approve(id, api_key)
      await expect.poll(waiting, { timeout: 2_000 }).toBe(1)
    })
    expect(answer && said(await answer)).toBe('403 key_revoked')
    expect((await tenant.trace(id)).status).toBe('pending_approval')
  })

  it('is revoked only after the decision where that began first', async () => {
    const { api_key, key_id } = await approver()
    const id = await held()
    const order: string[] = []
    const noted = async (what: string, work: Promise<{ status: number; body: unknown }>) => {
      order.push(`${what} ${said(await work)}`)
    }
    let both: Promise<unknown> | undefined
    await sql.begin(async holder => {
      await holder`select from action_gate.actions where action_id = ${id} for update`
      const approving = noted('approved', approve(id, api_key))
      await expect.poll(waiting, { timeout: 2_000 }).toBe(1)
      const path = `/v1/tenants/${tenant.id}/api-keys/${key_id}/revoke`
      both = Promise.all([approving, noted('revoked', service.call('POST', path, { admin: service.admin }))])
      await expect.poll(waiting, { timeout: 2_000 }).toBe(2)
    })
    await both
    expect(order.sort()).toEqual(['approved 202 done', 'revoked 200 done'])
    expect(said(await approve(await held(), api_key))).toBe('403 key_revoked')
  })
})

describe('what is not what was decided', () => {
  it('is not executed: the stored proposal was changed', async () => {
    const id = await held()
    await asSuperuser(
      service.database,
      'alter table action_gate.event_payloads disable trigger user',
      `update action_gate.event_payloads set payload = convert_to(replace(convert_from(payload, 'UTF8'), '42', '43'), 'UTF8')
       where action_id = '${id}' and sequence = 0`,
    )
    await tenant.approve(id)
    const worker = await startService({ database: service.database })
    try {
      const { status, execution, events } = await tenant.settled(id)
      expect({ status, code: execution?.error?.code }).toEqual({
        status: 'execution_failed',
        code: 'proposal_digest_mismatch',
      })
      expect(events.map(({ kind }) => kind)).not.toContain('execution_attempt')
    } finally {
      await worker.close()
    }
  })
})
