import { createEgressGuard, type EgressGuard } from '../../actuator/egress/egress-guard.ts'
import type { Context } from './context.ts'

/** Hosts that may be called at private addresses and without TLS: those of the settings, and those that were allowed since. */
export function allowedHosts({ config, localHosts }: Pick<Context, 'config' | 'localHosts'>): string[] {
  return [...config.egress_allow, ...localHosts.names()]
}

/** The guard of this process; what is allowed later counts from the next connection on. */
export function egressOf(context: Pick<Context, 'config' | 'localHosts'>): EgressGuard {
  return createEgressGuard(() => allowedHosts(context))
}
