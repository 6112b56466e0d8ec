import { setTimeout as pause } from 'node:timers/promises'
import type { ExportedAudit } from '../check/evidence.ts'
import type { ChaosParameters } from '../downstream/chaos-parameters.ts'
import { ask, insist, untilUp } from '../insist.ts'
import { agentName, approverNames, mintOne, type RunKey, type TenantKeys } from '../mint-keys.ts'
import { apiNames, registrations } from '../settings.ts'
import { play } from '../workload.ts'
import type { World } from '../world.ts'
import type { Fault } from './schedule.ts'
import { type Hit, noKill, type Target } from './target.ts'

/** What operators and jobs do to a tenant, all of it through the API; what was acknowledged is written down as an order. */

/** Freeze or pause the whole tenant for a while. */
export function holdBack(order: 'freeze' | 'pause', lift: 'unfreeze' | 'resume') {
  return async ({ world, order: record }: Target, { victim, ms }: Fault): Promise<Hit> => {
    const body = { reason: 'a fault of the run' }
    const { status } = await insist(world, {
      method: 'POST',
      path: `/v1/tenants/${victim}/${order}`,
      body: body,
    })
    if (status !== 200) throw new Error(`${victim}: ${order} was answered with ${status}`)
    const from = Date.now()
    await pause(ms)
    const until = Date.now()
    await insist(world, { method: 'POST', path: `/v1/tenants/${victim}/${lift}`, body })
    record({ order, tenant_id: victim, from, until })
    return noKill
  }
}

/** From now on the actuators of the tenant call other paths. */
export async function reregister({ world }: Target, { victim, n }: Fault): Promise<Hit> {
  const actuators = registrations(world.downstream, n + 1)
  const { status } = await insist(world, {
    method: 'PUT',
    path: `/v1/tenants/${victim}/actuators`,
    body: { actuators },
  })
  if (status !== 200) throw new Error(`${victim}: its actuators were answered with ${status}`)
  return noKill
}

/** One of the tenant's keys is replaced and revoked; then every API that answers is asked with it. */
export async function revokeKey({ world, order: record }: Target, { victim, n }: Fault): Promise<Hit> {
  const held = world.keys.tenants.get(victim)
  if (!held) throw new Error(`${victim} has no keys`)
  const { old, path } = await replaceKey(world, victim, held, n)
  const revoked = `/v1/tenants/${victim}/api-keys/${old.key_id}/revoke`
  const { status } = await insist(world, { method: 'POST', path: revoked, body: {} })
  if (status !== 200) throw new Error(`${victim}: the revocation was answered with ${status}`)
  const from = Date.now()
  const headers = { authorization: `Bearer ${old.secret}` }
  const answers = await Promise.all(apiNames.map(api => ask(world, api, { method: 'GET', path, headers })))
  const asked_after = answers.filter(answer => answer !== null).length
  const accepted_after = answers.filter(answer => answer?.status === 200).length
  record({ order: 'revoke', tenant_id: victim, from, accepted_after, asked_after })
  return noKill
}

/** In turn the agent's, the first and the second approver's; the clients of the run go on with the new one. */
async function replaceKey(
  world: World,
  tenant: string,
  held: TenantKeys,
  n: number,
): Promise<{ old: RunKey; path: string }> {
  const place = (n % 3) - 1
  const scope = place < 0 ? 'agent' : 'approver'
  const name = approverNames[place] ?? agentName
  const fresh = await untilUp(world, url => mintOne({ url, tenant, admin: world.keys.admin, scope, name }))
  const old = held.approvers[place] ?? held.agent
  if (place < 0) held.agent = fresh
  else held.approvers[place] = fresh
  return { old, path: place < 0 ? '/v1/actions?limit=1' : '/v1/approvals?limit=1' }
}

/** The content of an action that is at its end, which one by the number of the fault. */
export async function erase({ world, order: record }: Target, { victim, n }: Fault): Promise<Hit> {
  const secret = world.keys.tenants.get(victim)?.agent.secret
  const headers = { authorization: `Bearer ${secret}` }
  const { body: list } = await insist(world, {
    method: 'GET',
    path: '/v1/actions?status=executed&limit=50',
    headers,
  })
  const ids = (list as { actions: { action_id: string }[] }).actions.map(({ action_id }) => action_id)
  const action_id = ids[n % Math.max(1, ids.length)]
  if (action_id === undefined) return noKill
  const exported = async () =>
    (await insist(world, { method: 'GET', path: `/v1/actions/${action_id}/audit-export`, headers }))
      .body as ExportedAudit
  const before = await exported()
  if (isErased(before)) return noKill
  const path = `/v1/tenants/${victim}/actions/${action_id}/erase`
  const { status } = await insist(world, {
    method: 'POST',
    path: path,
    body: { reason: 'a fault of the run' },
  })
  // The answer of the first try may have been lost: then the second says that it was erased before.
  if (status === 200 || (status === 409 && isErased(await exported())))
    record({ order: 'erase', tenant_id: victim, action_id, from: Date.now(), before })
  else throw new Error(`${action_id}: its erasure was answered with ${status}`)
  return noKill
}

function isErased({ events: [first] }: ExportedAudit): boolean {
  return first?.payload === null
}

/** An action whose job goes wrong in the worker itself, beside all others. */
export function badJob(scripts: (n: number) => ChaosParameters['scripts']) {
  return async ({ requests }: Target, { victim, n }: Fault): Promise<Hit> => {
    await play(
      requests,
      {
        tenant_id: victim,
        proposal_id: `fault-${n}`,
        system: n % 2 === 0 ? 'chaos_keyed' : 'chaos_plain',
        operation: 'write',
        risk: 'low',
        parameters: { scripts: scripts(n), before_ms: 0, after_ms: 0, mute: false },
        copies: 1,
        decisions: [],
        decide_after_ms: 0,
        wait_s: 0,
      },
      n,
    )
    return noKill
  }
}

/** The request of the operation cannot be named: code of the actuator throws where a worker claims the job. */
export async function brokenJob({ requests }: Target, { victim, n }: Fault): Promise<Hit> {
  const parameters: ChaosParameters = { scripts: ['ok'], before_ms: 0, after_ms: 0, mute: false }
  const story = { tenant_id: victim, proposal_id: `fault-${n}`, system: 'chaos_keyed' } as const
  const asked = { operation: 'broken', risk: 'low', copies: 1, decisions: [] as never[] } as const
  await play(requests, { ...story, ...asked, parameters, decide_after_ms: 0, wait_s: 0 }, n)
  return noKill
}
