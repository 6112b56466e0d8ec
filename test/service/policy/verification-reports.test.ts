import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Envelope } from '../../../shared/audit/note/dsse.ts'
import { readTrustedKeys } from '../../../shared/audit/note/trusted-keys.ts'
import { verifyReport } from '../../../shared/audit/verify/verify-report.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type {
  BoundReport,
  VerificationReport,
} from '../../../shared/contract/configuration/verification-schema.ts'
import { catalogChange } from '../../../shared/contract/examples/example-changes.ts'
import { examplePolicy } from '../../../shared/contract/examples/example-policy.ts'
import { asReader, asWriter } from '../../support/fixtures/ad-hoc.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

const query = { forbidden: [{ name: 'large refund', operation: 'refund', where: { amount: { min: 500 } } }] }
const other = { ...examplePolicy, review_route: 'others' }

type Page = { reports: BoundReport[]; next_cursor: string | null } & Problem

function callsOf(service: TestService, tenant: TestTenant) {
  const call = <Body>(method: string, what: string, json?: object) =>
    service.call<Body>(method, `/v1/tenants/${tenant.id}/${what}`, {
      admin: service.admin,
      ...(json ? { json } : {}),
    })
  return {
    verify: async (json: object = query) =>
      (await call<VerificationReport>('POST', 'policy/verify', json)).body,
    list: async (search = '') => (await call<Page>('GET', `verification${search}`)).body,
    put: (what: string, json: object) => call('PUT', what, json),
    post: (what: string, json: object) => call('POST', what, json),
  }
}

describe.each([{ platform: false }, { platform: true }])('platform mode: $platform', ({ platform }) => {
  let service: TestService
  let tenant: TestTenant
  let calls: ReturnType<typeof callsOf>

  beforeAll(async () => {
    service = await startService({ platform })
  })
  beforeEach(async () => {
    tenant = await service.tenant({ policy: examplePolicy })
    calls = callsOf(service, tenant)
  })
  afterAll(() => service.close())

  const status = async () => (await calls.list()).reports[0]?.live_policy_binding.status

  it('stores each report, the newest first and page by page', async () => {
    const made = []
    for (let at = 0; at < 3; at += 1) made.unshift((await calls.verify()).report_id)
    const first = await calls.list('?limit=2')
    expect(first.reports.map(({ report_id }) => report_id)).toEqual(made.slice(0, 2))
    const second = await calls.list(`?limit=2&cursor=${first.next_cursor}`)
    expect(second.reports.map(({ report_id }) => report_id)).toEqual(made.slice(2))
    expect(second.next_cursor).toBeNull()
    expect((await calls.list('?cursor=x')).code).toBe('validation_failed')
  })

  it('lists the report as it was answered, and how it stands to what is in force', async () => {
    const made = await calls.verify()
    expect((await calls.list()).reports).toEqual([
      { ...made, live: true, live_policy_binding: { status: 'current' } },
    ])
    expect(made).toMatchObject({ subject: { kind: 'live', policy_revision: 1 }, result: 'verified' })
  })

  it('says of what is no longer in force which part changed', async () => {
    await calls.verify()
    await calls.put('policy', other)
    expect(await status()).toBe('stale_policy')
    await calls.put('policy', examplePolicy)
    expect(await status()).toBe('current')
    await calls.post('catalog', catalogChange)
    expect(await status()).toBe('stale_catalog')
    const [{ live } = { live: null }] = (await calls.list()).reports
    expect(live).toBe(false)
  })

  it('says of a draft that it is one, until it is in force', async () => {
    await calls.verify({ ...query, policy: other })
    expect(await status()).toBe('draft_only')
    await calls.put('policy', other)
    expect(await status()).toBe('current')
  })

  it('says of another mode and of another version of the engine that they are stale', async () => {
    await calls.verify({ ...query, mode: 'strict' })
    expect(await status()).toBe('stale_mode')
    await calls.verify()
    await asSuperuser(
      service.database,
      `insert into action_gate.verification_reports
       select tenant_id, 'vrp_older', created_at + interval '1 second', kind, mode, result, policy_hash, catalog_hash, report_hash,
         convert_to(replace(convert_from(body, 'UTF8'), '"version":"', '"version":"0.0.'), 'UTF8'), queries
       from action_gate.verification_reports where tenant_id = '${tenant.id}' and mode = 'basic'`,
    )
    expect(await status()).toBe('stale_engine')
  })

  it('keeps the reports of tenants apart', async () => {
    const neighbour = await service.tenant({ policy: examplePolicy })
    await calls.verify()
    expect((await callsOf(service, neighbour).list()).reports).toEqual([])
    const agent = await service.call('GET', `/v1/tenants/${tenant.id}/verification`, { admin: tenant.agent })
    expect(agent.status).toBe(403)
    const nobody = await service.call<Problem>('GET', '/v1/tenants/nobody/verification', {
      admin: service.admin,
    })
    expect(nobody.body.code).toBe('tenant_not_found')
  })

  it('records it in the configuration of the tenant', async () => {
    const { report_id, report_hash, policy_hash, catalog_hash, result } = await calls.verify()
    const [event] = await asReader<{ payload: string }>(
      service.context.store,
      `select convert_from(payload, 'UTF8') as payload from config_payloads join config_events using (tenant_id, sequence)
       where kind = 'verification_report' and tenant_id = '${tenant.id}'`,
    )
    expect(JSON.parse(event?.payload ?? '')).toEqual({
      report_id,
      report_hash,
      policy_hash,
      catalog_hash,
      result,
    })
  })

  it('signs it at once, so that the offline verifier believes it and its envelope', async () => {
    const report = await calls.verify()
    const keys = readTrustedKeys((await service.call('GET', '/v1/audit/keys')).text)
    const trusted = keys.ok ? keys.value : []
    const verified = (file: unknown) => verifyReport(Buffer.from(JSON.stringify(file)), trusted)
    expect(verified(report)).toMatchObject({ outcome: 'verified', problem: null })
    expect(verified((await calls.list()).reports[0])).toMatchObject({ outcome: 'verified' })
    expect(verified(report.signature)).toMatchObject({ outcome: 'verified' })
    expect(verified({ ...report, result: 'violated' })).toMatchObject({
      outcome: 'invalid',
      problem: 'the report is not the one that was signed',
    })
    expect(verified({ ...report, report_hash: `sha256:${'0'.repeat(64)}` }).problem).toMatch(
      /^report_hash is/,
    )
    const envelope = report.signature as unknown as Envelope
    const forged = { ...envelope, payload: Buffer.from('{}').toString('base64') }
    expect(verified(forged).problem).toBe('no trusted key signed the envelope')
    expect(verifyReport(Buffer.from(JSON.stringify(report)), []).problem).toBe(
      'no trusted key signed the envelope',
    )
    expect(verified({ ...report, signature: null })).toMatchObject({ outcome: 'incomplete' })
  })

  it('lets nobody change or remove a report or a signature', async () => {
    await calls.verify()
    for (const table of ['verification_reports', 'report_signatures']) {
      const write = asWriter(service.context.store, `delete from ${table}`)
      await expect(write).rejects.toMatchObject({ code: '42501' })
      const own = asSuperuser(service.database, `delete from action_gate.${table}`)
      await expect(own).rejects.toMatchObject({ code: '23001' })
    }
  })
})

it('without a key a report is unsigned, until a worker with a key comes', async () => {
  const service = await startService({ unsigned: true })
  const tenant = await service.tenant({ policy: examplePolicy })
  const calls = callsOf(service, tenant)
  expect((await calls.verify()).signature).toBeNull()
  const signing = await startService({ database: service.database })
  await expect.poll(async () => (await calls.list()).reports[0]?.signature).not.toBeNull()
  await signing.close()
  await service.close()
})
