import type { Actuator } from '../actuator/actuator.ts'
import { createEgressGuard } from '../actuator/egress/egress-guard.ts'
import { createRegistry, type Registry } from '../actuator/registry.ts'
import { missingSecrets } from '../actuator/surroundings.ts'
import { ConfigError } from '../runtime/config.ts'
import { readAllActuators } from '../store/actuators.ts'
import type { Context } from './context.ts'

/** What a worker brings with it: modules of `--actuators`, and the values of the variables that may be referred to. */
export interface Equipment {
  modules: readonly Actuator[]
  secrets: ReadonlyMap<string, string>
}

/**
 * The actuators that a worker can call. A registration that refers to a secret which this process does not have is an
 * error of its start, by the name of the variable; one that is registered later ends its actions before any effect.
 */
export async function openRegistry(context: Context, equipment: Equipment): Promise<Registry> {
  const registered = await context.store.look('all', readAllActuators)
  const missing = registered.flatMap(({ tenant_id, name, settings }) =>
    missingSecrets({ name: `${name} of tenant ${tenant_id}`, settings }, equipment.secrets),
  )
  if (missing.length > 0) throw new ConfigError(missing)
  const { egress_allow, mcp_commands: mcpCommands } = context.config
  return createRegistry({ ...equipment, egress: createEgressGuard(egress_allow), mcpCommands })
}
