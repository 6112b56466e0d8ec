import type { Actuator } from '../../actuator/actuator.ts'
import { createEgressGuard } from '../../actuator/egress/egress-guard.ts'
import { createTokenCache } from '../../actuator/http/token-cache.ts'
import { keepSessions } from '../../actuator/mcp/kept-sessions.ts'
import { createRegistry, type Registry } from '../../actuator/registry.ts'
import type { ActuatorSecrets } from '../../runtime/secrets/actuator-secrets.ts'
import type { OpeningKey } from '../../runtime/secrets/sealed-secret.ts'
import type { Context } from '../core/context.ts'
import { createOpenStored } from '../secret/open-stored.ts'

/** What a worker brings with it: modules of `--actuators`, the values of the variables that may be referred to, and what opens stored secrets. */
export interface Equipment {
  modules: readonly Actuator[]
  secrets: ActuatorSecrets
  /** Keys that open what tenants have stored; none where not given. */
  opening?: readonly OpeningKey[]
}

export interface OpenedRegistry {
  registry: Registry
  /** Ends what actuators keep open, once no call is under way. */
  close(): Promise<void>
}

/**
 * The actuators that a worker can call. What a registration names and this process does not have concerns its own jobs
 * alone: they wait, whoever registered it.
 */
export function openRegistry(context: Context, { opening = [], ...equipment }: Equipment): OpenedRegistry {
  const { egress_allow, mcp_servers: mcpServers, ...config } = context.config
  const mcpSessions = keepSessions({
    idle_ms: config.mcp_idle_ms,
    life_ms_max: config.mcp_session_ms_max,
    idle_max: config.mcp_idle_max,
  })
  const egress = createEgressGuard(egress_allow)
  const stored = createOpenStored(context, opening)
  const around = { ...equipment, stored, egress, mcpServers, mcpSessions, tokens: createTokenCache() }
  return { registry: createRegistry(around), close: mcpSessions.close }
}
