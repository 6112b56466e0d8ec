import { createEgressGuard, type EgressGuard } from '../../actuator/egress/egress-guard.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { Context } from './context.ts'

export function allowedHosts({ config, localHosts }: Pick<Context, 'config' | 'localHosts'>): string[] {
  return [...config.egress_allow, ...localHosts.names()]
}

/** Creates the egress guard of this process; a host allowed later counts from the next connection on. */
export function egressOf(context: Pick<Context, 'config' | 'localHosts'>): EgressGuard {
  return createEgressGuard(() => allowedHosts(context))
}

export function listLocalHosts(context: Context): { hosts: string[] } {
  return { hosts: allowedHosts(context) }
}

export async function allowLocalHost(context: Context, host: string): Promise<{ hosts: string[] }> {
  if (context.mode !== 'embedded') {
    const message = `add ${host} to SERVICE_EGRESS_ALLOW of the API and the workers: they may be on other machines`
    throw new ServiceError('not_embedded', message)
  }
  // No row changes here, but the transaction is needed because it holds the caller's credential.
  await context.store.change([], async () => context.localHosts.allow(host))
  return listLocalHosts(context)
}
