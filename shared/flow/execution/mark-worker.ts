import type { Actuator } from '../../actuator/actuator.ts'
import { createTokenCache } from '../../actuator/http/token-cache.ts'
import { keepSessions } from '../../actuator/mcp/kept-sessions.ts'
import { createRegistry, type Registry } from '../../actuator/registry.ts'
import type { RegistryDependencies } from '../../actuator/surroundings.ts'
import type { ActuatorSecrets } from '../../runtime/secrets/actuator-secrets.ts'
import type { OpeningKey } from '../../runtime/secrets/sealed-secret.ts'
import { markWorker as markStored } from '../../store/job/workers.ts'
import type { Context } from '../core/context.ts'
import { allowedHosts, egressOf } from '../core/egress.ts'
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
 * alone: they wait, whoever registered it. Test calls of this process are made with the same.
 */
export function openRegistry(context: Context, equipment: Equipment): OpenedRegistry {
  const { around, close } = openDependencies(context, equipment)
  context.bench.dependencies = around
  return { registry: createRegistry(around), close }
}

/** What actuators have around them in this process, until it is closed. */
export function openDependencies(
  context: Context,
  { opening = [], ...equipment }: Equipment,
): { around: RegistryDependencies; close(): Promise<void> } {
  const { mcp_servers: mcpServers, ...config } = context.config
  const mcpSessions = keepSessions({
    idle_ms: config.mcp_idle_ms,
    life_ms_max: config.mcp_session_ms_max,
    idle_max: config.mcp_idle_max,
  })
  const egress = egressOf(context)
  const stored = createOpenStored(context, opening)
  const around = { ...equipment, stored, egress, mcpServers, mcpSessions, tokens: createTokenCache() }
  return { around, close: mcpSessions.close }
}

/** What a worker tells of itself: names that registrations may refer to, and none of their values. */
export interface WorkerOffer {
  secrets: string[]
  mcp_servers: string[]
  egress_allow: string[]
  /** Of its actuator modules; a worker of an earlier version does not say. */
  modules?: string[]
  /** Ids of the keys that it opens stored secrets with. */
  secret_keys?: string[]
}

export function offerOf(
  context: Pick<Context, 'config' | 'localHosts'>,
  { secrets, modules, opening = [] }: Equipment,
): WorkerOffer {
  return {
    secrets: [...secrets.keys()],
    mcp_servers: [...context.config.mcp_servers.keys()],
    egress_allow: allowedHosts(context),
    modules: modules.map(({ name }) => name),
    secret_keys: opening.map(({ id }) => id),
  }
}

/** Say that a worker is there: once in every sweep interval, however long a sweep takes. */
export async function markWorker(context: Context, workerId: string, offer: WorkerOffer): Promise<void> {
  await context.store.write('all', writer => markStored(writer, workerId, JSON.stringify(offer)))
}

/**
 * Does work with what the worker of this process has around its actuators. Where there is none, it has the settings of
 * this process and no secret: those are in the workers alone.
 */
export async function withDependencies<Answer>(
  context: Context,
  work: (around: RegistryDependencies) => Promise<Answer>,
): Promise<Answer> {
  if (context.bench.dependencies) return work(context.bench.dependencies)
  const { around, close } = openDependencies(context, { modules: [], secrets: new Map() })
  try {
    return await work(around)
  } finally {
    await close()
  }
}
