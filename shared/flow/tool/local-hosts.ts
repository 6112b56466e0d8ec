import { ServiceError } from '../../contract/base/errors.ts'
import type { Context } from '../core/context.ts'
import { allowedHosts } from '../core/egress.ts'

/** Hosts that actuators may call at private addresses and without TLS. */
export function listLocalHosts(context: Context): { hosts: string[] } {
  return { hosts: allowedHosts(context) }
}

/** Let actuators call a host of this machine, from the next connection on. */
export function allowLocalHost(context: Context, host: string): { hosts: string[] } {
  if (context.mode !== 'embedded') {
    const message = `add ${host} to SERVICE_EGRESS_ALLOW of the API and the workers: they may be on other machines`
    throw new ServiceError('not_embedded', message)
  }
  context.localHosts.allow(host)
  return listLocalHosts(context)
}
