import type { Actuator } from '../../actuator/actuator.ts'
import { createEgressGuard } from '../../actuator/egress/egress-guard.ts'
import { createTokenCache } from '../../actuator/http/token-cache.ts'
import { createRegistry, type Registry } from '../../actuator/registry.ts'
import type { Context } from '../core/context.ts'

/** What a worker brings with it: modules of `--actuators`, and the values of the variables that may be referred to. */
export interface Equipment {
  modules: readonly Actuator[]
  secrets: ReadonlyMap<string, string>
}

/**
 * The actuators that a worker can call. What a registration names and this process does not have concerns its own jobs
 * alone: they wait, whoever registered it.
 */
export function openRegistry(context: Context, equipment: Equipment): Registry {
  const { egress_allow, mcp_servers: mcpServers } = context.config
  const egress = createEgressGuard(egress_allow)
  return createRegistry({ ...equipment, egress, mcpServers, tokens: createTokenCache() })
}
