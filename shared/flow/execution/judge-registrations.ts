import type { Issue } from '../../contract/base/errors.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import { readOffers } from '../../store/job/workers.ts'
import { listSecrets } from '../../store/tenant/tenant-secrets.ts'
import { workerAliveMs } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import type { WorkerOffer } from './mark-worker.ts'
import { type Means, registrationWarnings, toolWarnings } from './registration-warnings.ts'

/** Returns the problems that the workers alive now would have with calls of these actuators. */
export async function judgeRegistrations(
  context: Context,
  tenantId: string,
  actuators: readonly RegisteredActuator[],
): Promise<Issue[]> {
  return registrationWarnings(actuators, await readMeans(context, tenantId))
}

export async function judgeTool(
  context: Context,
  tenantId: string,
  actuator: RegisteredActuator,
): Promise<Issue[]> {
  return toolWarnings(actuator, await readMeans(context, tenantId))
}

export async function readMeans(context: Context, tenantId: string): Promise<Means> {
  const offers = await liveOffers(context)
  return { offers, stored: await context.store.look([tenantId], query => listSecrets(query, tenantId)) }
}

export async function liveOffers(context: Context): Promise<WorkerOffer[]> {
  const told = await context.store.read('all', reader => readOffers(reader, workerAliveMs(context)))
  const offers = told.flatMap(offer => (offer === null ? [] : [JSON.parse(offer) as WorkerOffer]))
  // A host allowed just now is added, because this process's worker reports it only at its next sweep.
  const local = context.localHosts.names()
  return offers.map(offer => ({ ...offer, egress_allow: [...offer.egress_allow, ...local] }))
}
