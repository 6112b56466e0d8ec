import { createEgressGuard, type EgressGuard } from '../../actuator/egress/egress-guard.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { Context } from './context.ts'

/** Hosts that may be called at private addresses and without TLS: those of the settings, and those that were allowed since. */
export function allowedHosts({ config, localHosts }: Pick<Context, 'config' | 'localHosts'>): string[] {
  return [...config.egress_allow, ...localHosts.names()]
}

/** The guard of this process; what is allowed later counts from the next connection on. */
export function egressOf(context: Pick<Context, 'config' | 'localHosts'>): EgressGuard {
  return createEgressGuard(() => allowedHosts(context))
}

/** Hosts that actuators may call at private addresses and without TLS. */
export function listLocalHosts(context: Context): { hosts: string[] } {
  return { hosts: allowedHosts(context) }
}

/** Let actuators call a host of this machine, from the next connection on. */
export async function allowLocalHost(context: Context, host: string): Promise<{ hosts: string[] }> {
  if (context.mode !== 'embedded') {
    const message = `add ${host} to SERVICE_EGRESS_ALLOW of the API and the workers: they may be on other machines`
    throw new ServiceError('not_embedded', message)
  }
  // It is no row, and is changed in a transaction all the same: that holds the credential of who asks.
  await context.store.change([], async () => context.localHosts.allow(host))
  return listLocalHosts(context)
}
