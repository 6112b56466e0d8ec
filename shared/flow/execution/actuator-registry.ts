import type { Actuator } from '../../actuator/actuator.ts'
import { createTokenCache } from '../../actuator/http/token-cache.ts'
import { keepSessions } from '../../actuator/mcp/kept-sessions.ts'
import { createRegistry, type Registry } from '../../actuator/registry.ts'
import type { RegistryDependencies } from '../../actuator/surroundings.ts'
import type { ActuatorSecrets } from '../../runtime/secrets/actuator-secrets.ts'
import type { Context } from '../core/context.ts'
import { egressOf } from '../core/egress.ts'

/** What a worker brings with it: modules of `--actuators`, and the values of the variables that may be referred to. */
export interface Equipment {
  modules: readonly Actuator[]
  secrets: ActuatorSecrets
}

export interface OpenedRegistry {
  registry: Registry
  /** Ends what actuators keep open, once no call is under way. */
  close(): Promise<void>
}

/**
 * The actuators that a worker can call. What a registration names and this process does not have concerns its own jobs
 * alone: they wait, whoever registered it. Test calls of this process are made with the same.
 */
export function openRegistry(context: Context, equipment: Equipment): OpenedRegistry {
  const { around, close } = openDependencies(context, equipment)
  context.bench.dependencies = around
  return { registry: createRegistry(around), close }
}

/** What actuators have around them in this process, until it is closed. */
export function openDependencies(
  context: Pick<Context, 'config' | 'localHosts'>,
  equipment: Equipment,
): { around: RegistryDependencies; close(): Promise<void> } {
  const { mcp_servers: mcpServers, ...config } = context.config
  const mcpSessions = keepSessions({
    idle_ms: config.mcp_idle_ms,
    life_ms_max: config.mcp_session_ms_max,
    idle_max: config.mcp_idle_max,
  })
  const egress = egressOf(context)
  const around = { ...equipment, egress, mcpServers, mcpSessions, tokens: createTokenCache() }
  return { around, close: mcpSessions.close }
}
