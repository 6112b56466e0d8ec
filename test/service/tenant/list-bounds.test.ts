import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../support/service/http.ts'
import {
  adminKey,
  agentKey,
  makePlace,
  makeSeed,
  type RunningProcess,
  type ServicePlace,
} from '../../support/service/service-process.ts'
import { proposal } from '../../support/service/tenant.ts'

/** A real process with a heap of 256 MB, and as much in its lists as a tenant may put there. */
let seed: ServicePlace
let place: ServicePlace
let service: RunningProcess
let admin: string
let agent: string
let approver: string

const largest = 'x'.repeat(255_000)
const heldCount = 200
const pageBytesMax = 2_097_152
/** One item more may end a page, with its verdict; and what frames it. */
const slack = 300_000

beforeAll(async () => {
  seed = await makeSeed()
  place = await makePlace(seed.directory)
  const database = await place.plant('db')
  service = await place.start(
    ['--config', await place.configure(), '--tenant-db', database, '--bootstrap-admin-key-name', 'first'],
    { NODE_OPTIONS: '--max-old-space-size=256', SERVICE_RATE_LIMIT: '100000', SERVICE_LOG_LEVEL: 'info' },
  )
  admin = await adminKey(service)
  agent = await agentKey(service)
  const json = { name: 'approver', scope: 'approver' }
  const path = '/v1/tenants/shop/api-keys'
  approver = (await service.call<{ api_key: string }>('POST', path, { admin, json })).body.api_key
}, 60_000)

afterAll(async () => {
  await place.clear()
  await seed.clear()
}, 60_000)

interface Page {
  next_cursor: string | null
}

/** All pages of a list, one after the other, each as long as it may be. */
async function pagesOf<Body extends Page>(
  path: string,
  credential: { key?: string; admin?: string },
): Promise<Answer<Body>[]> {
  const pages: Answer<Body>[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`
    const page: Answer<Body> = await service.call<Body>('GET', `${path}?limit=200${more}`, credential)
    expect(page.status, page.text.slice(0, 300)).toBe(200)
    pages.push(page)
    cursor = page.body.next_cursor
  }
  return pages
}

/** So many lists at once; what each came to. */
async function atOnce(count: number, path: string, headers: Record<string, string>): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, async () => {
      const answer = await fetch(`${service.url}${path}?limit=200`, { headers })
      const text = await answer.text()
      if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      return `${answer.status} ${answer.status === 200 ? '' : JSON.parse(text).code}`.trim()
    }),
  )
  return [...new Set(answers)].sort()
}

async function isServed(): Promise<void> {
  expect((await service.call('GET', '/v1/ready')).status).toBe(200)
}

describe('lists in a heap of 256 MB', () => {
  it('of 200 held proposals of 255 kB end their pages at 2 MiB and lose none', async () => {
    for (let at = 0; at < heldCount; at += 1) {
      const json = proposal({ proposal_id: `held-${at}`, risk: 'high', parameters: { text: largest } })
      expect((await service.call('POST', '/v1/actions', { key: agent, json })).status).toBe(200)
    }
    const approvals = await pagesOf<Page & { approvals: { action_id: string }[] }>('/v1/approvals', {
      key: approver,
    })
    expect(Math.max(...approvals.map(({ text }) => text.length))).toBeLessThan(pageBytesMax + slack)
    const ids = approvals.flatMap(({ body }) => body.approvals.map(({ action_id }) => action_id))
    expect(new Set(ids).size).toBe(heldCount)
    expect(ids).toHaveLength(heldCount)
    const actions = await pagesOf<Page & { actions: { action_id: string; summary: string }[] }>(
      '/v1/actions',
      { key: agent },
    )
    expect(actions.flatMap(({ body }) => body.actions)).toHaveLength(heldCount)
    expect(actions.flatMap(({ body }) => body.actions)[0]).toMatchObject({ summary: 'Read a contact' })
  }, 120_000)

  it.each([
    [4, '/v1/approvals'],
    [60, '/v1/approvals'],
    [60, '/v1/actions'],
  ])(
    'asked %i times at once at %s leave the process alive',
    async (count, path) => {
      const key = path === '/v1/approvals' ? approver : agent
      const came = await atOnce(count, path, { authorization: `Bearer ${key}` })
      expect(['200', '503 overloaded']).toEqual(expect.arrayContaining(came))
      expect(came).toContain('200')
      await isServed()
    },
    120_000,
  )

  it.each([
    [
      'policy',
      (name: string) => ({ ...policy, parameter_constraints: { crm: { read: { [name]: constraint } } } }),
    ],
    ['catalog', (name: string) => catalog(name)],
  ])(
    'of revisions of the %s of 250 kB end their pages at 2 MiB',
    async (kind, document) => {
      for (let at = 0; at < 40; at += 1) {
        const method = kind === 'catalog' && at === 0 ? 'POST' : 'PUT'
        const made = await service.call(method, `/v1/tenants/shop/${kind}`, {
          admin,
          json: document(`n${at}`),
        })
        expect(made.status, made.text.slice(0, 300)).toBeLessThan(202)
      }
      const path = `/v1/tenants/shop/${kind}/revisions`
      const pages = await pagesOf<Page & { revisions: unknown[] }>(path, { admin })
      expect(Math.max(...pages.map(({ text }) => text.length))).toBeLessThan(pageBytesMax + slack)
      expect(pages.flatMap(({ body }) => body.revisions).length).toBeGreaterThanOrEqual(40)
      const came = await atOnce(40, path, { 'x-service-admin-key': admin })
      expect(['200', '503 overloaded']).toEqual(expect.arrayContaining(came))
      await isServed()
    },
    120_000,
  )
})

const policy = { allowed_systems: ['crm'], approval_required_at: 'medium', review_route: 'leads' }
const constraint = { one_of: Array.from({ length: 990 }, (_, at) => `${at}-${'y'.repeat(245)}`) }

const catalog = (name: string) => ({
  operations: Array.from({ length: 110 }, (_, at) => ({
    system: 'crm',
    operation: `${name}-${at}`,
    title: 'z'.repeat(1_900),
    parameter_schema: { type: 'object', properties: {}, additionalProperties: false },
    minimum_risk: 'low',
    effects: ['reads'],
    reversibility: 'reversible',
    actuator: { name: 'crm', kind: 'mock' },
    idempotency: 'key_honoured',
    tool_schema_hash: null,
  })),
})
