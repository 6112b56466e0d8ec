import { type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import {
  readActuators as readStored,
  replaceActuators as replaceStored,
} from '../../store/tenant/active-documents.ts'
import { tenantExists } from '../../store/tenant/tenant-rows.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { mayNameMeans, refuseWidening } from '../core/operator-means.ts'
import { afterClaims } from '../execution/claim-jobs.ts'
import { judgeRegistrations } from '../execution/judge-registrations.ts'

export async function readActuators(
  context: Context,
  tenantId: string,
): Promise<{ actuators: RegisteredActuator[] }> {
  return context.store.look([tenantId], async query => {
    if (!(await tenantExists(query, tenantId)))
      throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
    return { actuators: await readStored(query, tenantId) }
  })
}

/**
 * Replaces all registrations of a tenant and warns of the problems that live workers would have with calls of
 * them. After the answer no job is claimed with the old ones.
 */
export async function replaceActuators(
  context: Context,
  change: { tenant_id: string; actuators: RegisteredActuator[]; author: Author },
): Promise<{ actuators: RegisteredActuator[]; warnings: Issue[] }> {
  const { tenant_id, author } = change
  const actuators = [...change.actuators].sort((left, right) => (left.name < right.name ? -1 : 1))
  const replaced = await changeConfig(context, tenant_id, author, async query => {
    // No endpoint lets an owner come here today; the check protects one that is added later.
    if (!mayNameMeans(author)) refuseWidening(author, actuators, await readStored(query, tenant_id))
    await replaceStored(query, tenant_id, actuators)
    const payload = { actuators: actuators as unknown as JsonValue }
    return { answer: { actuators }, entry: { kind: 'actuators_revision', payload }, governs: true }
  })
  const answer = await afterClaims(context, tenant_id, replaced)
  return { ...answer, warnings: await judgeRegistrations(context, tenant_id, actuators) }
}
