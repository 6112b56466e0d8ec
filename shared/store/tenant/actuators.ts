import { eq } from 'drizzle-orm'
import type { RegisteredActuator } from '../../contract/configuration/actuator.ts'
import type { Query } from '../postgres/open.ts'
import { actuators } from '../schema/schema.ts'

/** Actuators registered for a tenant, by name. */
export async function readActuators(query: Query, tenantId: string): Promise<RegisteredActuator[]> {
  const rows = await query
    .select()
    .from(actuators)
    .where(eq(actuators.tenant_id, tenantId))
    .orderBy(actuators.name)
  return rows.map(({ name, kind, settings }) => ({ name, kind, settings }) as RegisteredActuator)
}

/** Replace all registrations of a tenant. */
export async function replaceActuators(
  query: Query,
  tenantId: string,
  registered: readonly RegisteredActuator[],
): Promise<void> {
  await query.delete(actuators).where(eq(actuators.tenant_id, tenantId))
  if (registered.length === 0) return
  await query.insert(actuators).values(registered.map(actuator => ({ tenant_id: tenantId, ...actuator })))
}
