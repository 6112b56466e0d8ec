import { expect } from 'vitest'
import type { DecisionResponse } from '../../../shared/contract/action/action.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { RouteRequest } from '../../../shared/contract/configuration/route-schema.ts'
import type { Answer } from './http.ts'
import type { TestService } from './service.ts'
import { plainPolicy, type TestTenant } from './tenant.ts'

/** Somebody with an approver key. */
export interface Person {
  name: string
  key: string
  key_id: string
}

export type Decided = Answer<DecisionResponse & Problem>

/** A tenant whose policy names a route, with people in groups. */
export interface RoutedTenant extends TestTenant {
  /** Mints an approver key under a name. */
  person(name: string): Promise<Person>
  putGroup(name: string, people: readonly Person[]): Promise<Answer<Problem>>
  putRoute(route: RouteRequest): Promise<Answer<Problem>>
  hold(): Promise<string>
  decide(how: 'approve' | 'reject', id: string, person: Person): Promise<Decided>
}

/** Of the route `refunds`, which is not defined before `putRoute`. */
export async function routedTenant(service: TestService, approvals_required?: number): Promise<RoutedTenant> {
  const policy = {
    ...plainPolicy,
    review_route: 'refunds',
    ...(approvals_required ? { approvals_required } : {}),
  }
  const tenant = await service.tenant({ policy, issued: true })
  const put = (path: string, json: object) =>
    service.call<Problem>('PUT', `/v1/tenants/${tenant.id}${path}`, { admin: service.admin, json })
  return {
    ...tenant,
    async person(name) {
      const { body } = await service.call<{ api_key: string; key: { key_id: string } }>(
        'POST',
        `/v1/tenants/${tenant.id}/api-keys`,
        { admin: service.admin, json: { name, scope: 'approver' } },
      )
      return { name, key: body.api_key, key_id: body.key.key_id }
    },
    putGroup: (name, people) => put(`/groups/${name}`, { members: people.map(({ key_id }) => ({ key_id })) }),
    putRoute: route => put('/routes/refunds', route),
    async hold() {
      const { body } = await tenant.submit({ risk: 'high' })
      expect(body.action_status).toBe('pending_approval')
      return body.action_id
    },
    decide: (how, id, { key }) => service.call('POST', `/v1/actions/${id}/${how}`, { key, json: {} }),
  }
}
