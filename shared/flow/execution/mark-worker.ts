import { markWorker as markStored } from '../../store/job/workers.ts'
import type { Context } from '../core/context.ts'
import { allowedHosts } from '../core/egress.ts'
import type { Equipment } from './actuator-registry.ts'

/** What a worker tells of itself: names that registrations may refer to, and none of their values. */
export interface WorkerOffer {
  secrets: string[]
  mcp_servers: string[]
  egress_allow: string[]
  /** Of its actuator modules; a worker of an earlier version does not say. */
  modules?: string[]
}

export function offerOf(
  context: Pick<Context, 'config' | 'localHosts'>,
  { secrets, modules }: Equipment,
): WorkerOffer {
  return {
    secrets: [...secrets.keys()],
    mcp_servers: [...context.config.mcp_servers.keys()],
    egress_allow: allowedHosts(context),
    modules: modules.map(({ name }) => name),
  }
}

/** Say that a worker is there: once in every sweep interval, however long a sweep takes. */
export async function markWorker(context: Context, workerId: string, offer: WorkerOffer): Promise<void> {
  await context.store.write('all', writer => markStored(writer, workerId, JSON.stringify(offer)))
}
