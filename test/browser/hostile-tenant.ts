import { signUp, type TestOwner } from '../support/service/owner.ts'
import type { TestService } from '../support/service/service.ts'
import { proposal } from '../support/service/tenant.ts'

/** What somebody may write to be taken for markup, to change what is read, or to break a page. */
export const hostile = {
  markup: '<script>window.owned=1</script><img src=x onerror="window.owned=1">',
  direction: 'Pay \u202Eetarip ot\u202C now',
  invisible: 'ad\u200Bmin\uFEFF',
  lookalike: 'p\u0430ypal',
  long: 'x'.repeat(10_000),
} as const

/** All of it in so many characters. */
export function hostileText(length: number): string {
  const { markup, direction, invisible, lookalike, long } = hostile
  return `${markup} ${direction} ${invisible} ${lookalike} ${long}`.slice(0, length)
}

/** The same without what is refused in names: all of it can be seen. */
export function hostileName(length: number): string {
  const { markup, lookalike, long } = hostile
  return `${markup} ${lookalike} ${long}`.slice(0, length)
}

export interface HostileTenant {
  owner: TestOwner
  /** A key with a hostile name. */
  approver: string
  /** An action that waits for a person, one that was executed, one denied, and one whose outcome is unknown. */
  held: string
  executed: string
  denied: string
  unknown: string
}

/** An owner's application in which everything that somebody can name has a hostile name. */
export async function makeHostileTenant(service: TestService): Promise<HostileTenant> {
  const { call, admin } = service
  const owner = await signUp(call, { organization: hostileName(200) })
  const { browser, path, tenant_id, agent } = owner
  const actuators = [
    { name: 'payments', kind: 'mock', settings: {} },
    { name: 'lost', kind: 'mock', settings: { outcome: 'unknown', idempotency: 'none' } },
  ]
  await call('PUT', `/v1/tenants/${tenant_id}/actuators`, { admin, json: { actuators } })
  const policy = {
    allowed_systems: ['payments', 'lost'],
    approval_required_at: 'high',
    review_route: hostileName(200),
    parameter_constraints: { payments: { pay: { memo: { one_of: [hostileText(4_000), 'fine'] } } } },
  }
  const change_note = hostileText(2_000)
  await browser.call('PUT', path('/policy'), { json: { policy, change_note } })
  const minted = await browser.call<{ api_key: string }>('POST', path('/api-keys'), {
    json: { name: hostileName(200), scope: 'approver' },
  })
  await browser.call('POST', path('/api-keys'), { json: { name: hostileName(200) } })
  const submit = async (system: string, risk: 'low' | 'high', operation = 'pay') => {
    const asked = { ...proposal({ summary: hostileText(2_000), system, operation, risk }) }
    const json = {
      ...asked,
      actor: { agent_id: hostileText(200), run_id: hostileText(200) },
      action: {
        ...asked.action,
        parameters: {
          memo: hostileText(4_000),
          [hostileText(150)]: hostile.long,
          nested: { deep: [hostile] },
        },
        rollback_plan: hostileText(4_000),
      },
      risk: { level: risk, blast_radius: hostileText(1_000) },
    }
    const { body } = await call<{ action_id: string }>('POST', '/v1/actions', { key: agent, json })
    return body.action_id
  }
  const [executed, denied, unknown, rejected, held] = [
    await submit('payments', 'low'),
    await submit('nowhere', 'low'),
    await submit('lost', 'low'),
    await submit('payments', 'high'),
    await submit('payments', 'high'),
  ]
  await browser.call('POST', path(`/actions/${rejected}/reject`), { json: { note: hostileText(2_000) } })
  return { owner, approver: minted.body.api_key, held, executed, denied, unknown }
}
