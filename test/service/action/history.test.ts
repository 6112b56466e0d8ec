import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HistoryPage } from '../../../shared/contract/action/history-schema.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import { signUp, type TestOwner } from '../../support/service/owner.ts'
import { plantHeld } from '../../support/service/plant-held.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { type ProposalChange, proposal } from '../../support/service/tenant.ts'

let service: TestService
let owner: TestOwner
/** Ids by name, oldest first. */
const ids: Record<string, string> = {}

const asked = {
  read: { summary: 'Read 100% of contacts', system: 'crm', parameters: { contact: { id: 'A_1' } } },
  refund: { summary: 'Refund Müller', system: 'payments', operation: 'refund', parameters: { amount: 250 } },
  large: {
    summary: 'Refund a day of sales',
    system: 'payments',
    operation: 'refund',
    parameters: { amount: 2500 },
    risk: 'high',
  },
  mail: { summary: 'Write to Müller', system: 'mail', operation: 'send', parameters: { to: 'a@b.example' } },
} as const satisfies Record<string, ProposalChange>

async function submit(change: ProposalChange, agent_id = 'agent-1'): Promise<string> {
  const json = { ...proposal(change), actor: { agent_id } }
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', {
    key: owner.agent,
    json,
  })
  return body.action_id
}

beforeAll(async () => {
  const env = { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_HELD_BYTES_MAX: '100m' }
  service = await startService({ env, worker: null })
  owner = await signUp(service.call)
  for (const [name, change] of Object.entries(asked)) {
    ids[name] = await submit(change, name === 'mail' ? 'Postmaster' : undefined)
  }
})
afterAll(() => service.close())

const search = (query: Record<string, string>, by = owner) =>
  by.browser.call<HistoryPage & Problem>('GET', owner.path(`/history?${new URLSearchParams(query)}`))

async function found(query: Record<string, string>): Promise<string[]> {
  const { status, body } = await search(query)
  expect(status).toBe(200)
  const names = Object.entries(ids)
  return body.actions.map(({ action_id }) => names.find(([, id]) => id === action_id)?.[0] ?? action_id)
}

describe('a search of the history', () => {
  it.each<[Record<string, string>, (keyof typeof asked)[]]>([
    [{}, ['mail', 'large', 'refund', 'read']],
    [{ search: 'müller' }, ['mail', 'refund']],
    [{ search: 'refund Müller' }, ['refund']],
    [{ search: 'amount:250' }, ['large', 'refund']],
    [{ search: 'amount:2500' }, ['large']],
    [{ search: '100%' }, ['read']],
    [{ search: 'A_1' }, ['read']],
    [{ search: 'AB1' }, []],
    [{ search: 'postmaster' }, ['mail']],
    [{ agent_id: 'Postmaster' }, ['mail']],
    [{ agent_id: 'postmaster' }, []],
    [{ system: 'payments' }, ['large', 'refund']],
    [{ operation: 'send' }, ['mail']],
    [{ risk: 'high' }, ['large']],
    [{ system: 'payments', search: 'sales' }, ['large']],
    [{ from: '2199-01-01T00:00:00Z' }, []],
    [{ to: '2020-01-01T00:00:00+02:00' }, []],
    [{ from: '2020-01-01T00:00:00Z', operation: 'send' }, ['mail']],
  ])('for %j finds what meets it', async (query, names) => {
    expect(await found(query)).toEqual(names)
  })

  it('finds an id by eight of its characters, and by no fewer', async () => {
    const id = ids.large ?? ''
    expect(await found({ search: id.slice(4, 24).toUpperCase() })).toEqual(['large'])
    expect(await found({ search: id.slice(-7) })).toEqual([])
  })

  it('is of one status', async () => {
    const { body } = await search({})
    for (const { status, action_id } of body.actions) {
      const ofIt = (await search({ status })).body.actions
      expect(ofIt.map(action => action.action_id)).toContain(action_id)
      expect(new Set(ofIt.map(action => action.status))).toEqual(new Set([status]))
    }
  })

  it('goes on page by page, and says how many it looked at', async () => {
    const seen: string[] = []
    let looked = 0
    let cursor: string | null = null
    do {
      const { body }: { body: HistoryPage } = await search({
        limit: '1',
        search: 'e',
        ...(cursor ? { cursor } : {}),
      })
      seen.push(...body.actions.map(({ action_id }) => action_id))
      looked += body.looked
      cursor = body.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual([ids.mail, ids.large, ids.refund, ids.read])
    expect(looked).toBe(4)
  })

  it('is of nobody else', async () => {
    const stranger = await signUp(service.call)
    expect(await search({}, stranger)).toMatchObject({ status: 404, body: { code: 'tenant_not_found' } })
  })

  it('takes no time that is none', async () => {
    expect((await search({ from: 'yesterday' })).status).toBe(400)
  })
})

describe('of more actions than a page looks at', () => {
  const count = limits.history_looked_max + 500

  beforeAll(async () => plantHeld(service, ids.large ?? '', count), 120_000)

  it('an empty page goes on, and finds what is far behind', async () => {
    const first = (await search({ search: 'nothing-has-this' })).body
    expect(first).toMatchObject({ actions: [], looked: limits.history_looked_max })
    const { body } = await search({ search: 'nothing-has-this', cursor: first.next_cursor ?? '' })
    expect(body).toMatchObject({
      actions: [],
      looked: count + 4 - limits.history_looked_max,
      next_cursor: null,
    })
  })

  it('one that was erased is not found', async () => {
    const path = `/v1/tenants/${owner.tenant_id}/actions/${ids.mail}/erase`
    const json = { reason: 'of a test' }
    const { status } = await service.call('POST', path, { admin: service.admin, json })
    expect(status).toBe(200)
    expect(await found({ operation: 'send' })).toEqual([])
  })
})
