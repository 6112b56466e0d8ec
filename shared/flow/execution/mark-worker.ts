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

/**
 * The equipment of a worker: modules of `--actuators`, values of the variables that may be named, and the keys to
 * stored secrets.
 */
export interface Equipment {
  modules: readonly Actuator[]
  secrets: ActuatorSecrets
  opening?: readonly OpeningKey[]
}

export interface OpenedRegistry {
  registry: Registry
  close(): Promise<void>
}

/**
 * Opens the actuators that a worker can call, also for this process's test calls. If something that a registration
 * names is missing here, only that registration's jobs wait.
 */
export function openRegistry(context: Context, equipment: Equipment): OpenedRegistry {
  const { around, close } = openDependencies(context, equipment)
  context.bench.dependencies = around
  return { registry: createRegistry(around), close }
}

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

/** A worker's report: the names that registrations may refer to, never their values. */
export interface WorkerOffer {
  secrets: string[]
  mcp_servers: string[]
  egress_allow: string[]
  /** The names of its actuator modules; workers of earlier versions omit them. */
  modules?: string[]
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

/** Records that a worker is alive; it runs once per sweep interval, however long a sweep takes. */
export async function markWorker(context: Context, workerId: string, offer: WorkerOffer): Promise<void> {
  await context.store.write('all', writer => markStored(writer, workerId, JSON.stringify(offer)))
}

/**
 * Runs work with the dependencies of this process's worker. Without a worker it has this process's settings and no
 * secrets, since only workers have those.
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
