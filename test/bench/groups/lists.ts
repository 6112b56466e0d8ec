import type { BenchOptions } from '../bench.ts'
import { median } from '../figure.ts'
import { type RunningApi, startPlatform } from '../setup/platform.ts'
import { samplePolicy } from '../setup/sample.ts'
import { seedActions } from '../setup/seed-actions.ts'

const bench = 'lists'

/** A tenant with so many actions, a tenth of them held. */
interface Tenant {
  id: string
  actions: number
  /** The first character of its action ids: those of a tenant are in order. */
  mark: string
  agent: string
  approver: string
}

interface List {
  figure: string
  path(tenant: Tenant): string
  as: 'agent' | 'approver' | 'admin'
}

const lists: readonly List[] = [
  { figure: 'actions_first_page', as: 'agent', path: () => '/v1/actions?limit=50' },
  {
    figure: 'actions_deep_page',
    as: 'agent',
    path: tenant => `/v1/actions?limit=50&cursor=${actionId(tenant.mark, tenant.actions / 2)}`,
  },
  { figure: 'actions_of_a_status', as: 'agent', path: () => '/v1/actions?limit=50&status=denied' },
  { figure: 'approvals', as: 'approver', path: () => '/v1/approvals?limit=50' },
  { figure: 'keys', as: 'admin', path: ({ id }) => `/v1/tenants/${id}/api-keys` },
]

/** What a page costs a tenant with 1,000,000 actions, against one with 1,000 in the same database. */
export async function benchLists({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  try {
    const api = await platform.startApi()
    const few = await makeTenant(api, 'few', { actions: 1_000, mark: '2' })
    const many = await makeTenant(api, 'many', { actions: quick ? 50_000 : 1_000_000, mark: '1' })
    for (const { id, actions, mark } of [few, many]) {
      const seeds = { tenant: id, count: actions, mark, status: 'denied' as const, heldEvery: 10 }
      await seedActions(platform.sql, seeds)
    }
    for (const list of lists) {
      const { value, floor } = await timeBoth(api, list, { many, few }, quick ? 50 : 300)
      const detail = { actions: many.actions, floor_is: 'the same page of a tenant with 1,000 actions' }
      emit({ bench, figure: `${list.figure}_p50`, value, floor, ratio: value / floor, unit: 'ms', detail })
    }
  } finally {
    await platform.stop()
  }
}

async function makeTenant(
  api: RunningApi,
  id: string,
  size: Pick<Tenant, 'actions' | 'mark'>,
): Promise<Tenant> {
  const post = async (path: string, body: object): Promise<string> => {
    const headers = { 'x-service-admin-key': api.adminKey, 'content-type': 'application/json' }
    const made = await fetch(`${api.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!made.ok) throw new Error(`${path}: ${made.status} ${await made.text()}`)
    return ((await made.json()) as { api_key: string }).api_key
  }
  const agent = await post('/v1/tenants', { tenant_id: id, policy: samplePolicy(10) })
  const approver = await post(`/v1/tenants/${id}/api-keys`, { name: 'lead', scope: 'approver' })
  return { id, ...size, agent, approver }
}

/** As wide as an action id is. */
function actionId(mark: string, at: number): string {
  return `act_${mark}${String(at).padStart(35, '0')}`
}

/** Medians of requests in turns, in milliseconds. */
async function timeBoth(
  api: RunningApi,
  list: List,
  { many, few }: { many: Tenant; few: Tenant },
  rounds: number,
): Promise<{ value: number; floor: number }> {
  const times = { value: [] as number[], floor: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    const value = await timeOne(api, list, many)
    const floor = await timeOne(api, list, few)
    if (round < rounds / 10) continue
    times.value.push(value)
    times.floor.push(floor)
  }
  return { value: median(times.value), floor: median(times.floor) }
}

async function timeOne(api: RunningApi, list: List, tenant: Tenant): Promise<number> {
  const headers: Record<string, string> =
    list.as === 'admin'
      ? { 'x-service-admin-key': api.adminKey }
      : { authorization: `Bearer ${tenant[list.as]}` }
  const begun = performance.now()
  const answer = await fetch(`${api.url}${list.path(tenant)}`, { headers })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${list.path(tenant)}: ${answer.status} ${text}`)
  return performance.now() - begun
}
