import { exampleOperation, examplePolicy } from '../../../shared/contract/examples/example-policy.ts'
import { validRequest } from '../valid-request.ts'
import type { Stage, Way } from './way.ts'

/** How a revision that breaks what was proved is refused, and what meets one while the tenant keeps changing. */
export function provedWays(revision: object, catalog?: object): Readonly<Record<string, Way>> {
  const inProvedTenant =
    (where: (stage: Stage) => string | undefined): Way =>
    async (operation, stage) => {
      const { known, service } = stage.world
      const tenant = await service.tenant({ policy: examplePolicy })
      const admin = (method: 'POST' | 'PUT', path: string, json: object) =>
        service.call(method, `/v1/tenants/${tenant.id}/${path}`, { admin: service.admin, json })
      if (catalog) await admin('POST', 'catalog', catalog)
      const parameter_constraints = { payments: { refund: { amount: { max: 20 } } } }
      await admin('PUT', 'policy', { ...examplePolicy, parameter_constraints })
      await admin('POST', 'policy/verify', {
        forbidden: [{ name: 'a large refund', where: { amount: { min: 30 } } }],
        required: [{ name: 'a refund', where: { amount: { present: true } } }],
      })
      await admin('PUT', 'verification-gate', { required: true })
      const asked = validRequest(operation, {
        ...known,
        params: { tenant_id: tenant.id, system: 'payments' },
        ownParams: {},
      })
      const url = where(stage)
      return { asked: { ...asked, body: JSON.stringify(revision) }, ...(url === undefined ? {} : { url }) }
    }
  return {
    verification_failed: inProvedTenant(() => undefined),
    concurrent_change: inProvedTenant(({ refusing }) => refusing.overtaken),
    too_many_revisions: inProvedTenant(({ refusing }) => refusing.crowded),
  }
}

/** A catalog under which a refund has no parameters. */
export const takingNothing = {
  operations: [{ ...exampleOperation, parameter_schema: { type: 'object', additionalProperties: false } }],
}
