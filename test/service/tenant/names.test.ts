import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Issue, Problem } from '../../../shared/contract/base/errors.ts'
import { exampleOperation } from '../../../shared/contract/examples/example-policy.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { goodPassword } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_LOGIN_LIMIT: '1000000' } })
  tenant = await service.tenant({ policy: { ...plainPolicy, approvals_required: 2 } })
})

afterAll(() => service.close())

type Minted = { api_key: string; warnings: Issue[] } & Problem

const mint = (name: string, scope = 'approver') =>
  service.call<Minted>('POST', `/v1/tenants/${tenant.id}/api-keys`, {
    admin: service.admin,
    json: { name, scope },
  })

const unseen = [
  ['a zero width space', '\u200b'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a turn of direction', '\u202e'],
  ['a filler', '\u3164'],
  ['a blank of Braille', '\u2800'],
  ['a bell', '\u0007'],
  ['a line', '\n'],
  ['a space that is none', '\u00a0'],
  ['a tag', '\u{e0041}'],
] as const

const refusal = { status: 400, code: 'validation_failed', found: 'invisible_character' }
const found = ({ status, body }: { status: number; body: Problem }) => ({
  status,
  code: body.code,
  found: body.errors?.[0]?.code,
})

describe.each(unseen)('a name with %s', (_, character) => {
  const name = `Ad${character}a`

  it('is refused for a key, a route, a title and an effect', async () => {
    expect(found(await mint(name))).toEqual(refusal)
    expect(found(await mint(name, 'agent'))).toEqual(refusal)
    const put = (what: string, json: object) =>
      service.call<Problem>('POST', what, { admin: service.admin, json })
    expect(found(await put('/v1/policies/validate', { ...plainPolicy, review_route: name }))).toEqual(refusal)
    for (const change of [{ title: name }, { effects: [name] }]) {
      const catalog = { operations: [{ ...exampleOperation, ...change }] }
      expect(found(await put(`/v1/tenants/${tenant.id}/catalog`, catalog))).toEqual(refusal)
    }
  })

  it('is refused for an organization, and in an address', async () => {
    const signUp = (change: object) =>
      service.call<Problem>('POST', '/v1/accounts/signup', {
        json: {
          email: 'ada@example.org',
          password: goodPassword,
          organization: 'Example',
          template: 'support',
          ...change,
        },
      })
    expect(found(await signUp({ organization: name }))).toEqual(refusal)
    expect((await signUp({ email: `${name}@example.org` })).status).toBe(400)
    expect((await signUp({ email: `ada@ex${character}ample.org` })).status).toBe(400)
  })
})

describe('a name that looks like that of another approver', () => {
  it('is minted with a warning that names the other key', async () => {
    const first = await mint('Ada Lovelace')
    expect(first.body.warnings).toEqual([])
    const { status, body } = await mint('\u0410da Lovel\u0430ce')
    expect(status).toBe(201)
    expect(body.warnings).toMatchObject([{ path: 'name', code: 'look_alike_name' }])
    expect(body.warnings[0]?.message).toContain(first.body.api_key.split('.')[0])
  })

  it('is minted without one where it is the same holder', async () => {
    expect((await mint('ada lovelace')).body.warnings.map(({ message }) => message)).not.toContain(
      'Ada Lovelace',
    )
  })
})

describe('a quorum of keys stored before such names were refused', () => {
  it('counts one person once', async () => {
    const [one, other] = [(await mint('Grace')).body.api_key, (await mint('Hopper')).body.api_key]
    const [keyId] = other.split('.')
    await asSuperuser(
      service.database,
      `update action_gate.api_keys set holder = 'name:gra' || chr(8203) || 'ce' where key_id = '${keyId}'`,
    )
    const { body } = await tenant.submit({ risk: 'high' })
    const approve = (key: string) =>
      service.call<Problem>('POST', `/v1/actions/${body.action_id}/approve`, { key, json: {} })
    expect((await approve(one)).status).toBe(202)
    const second = await approve(other)
    expect({ status: second.status, code: second.body.code }).toEqual({
      status: 409,
      code: 'approval_already_counted',
    })
  })
})
