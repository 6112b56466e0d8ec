import type { Request, Response } from 'express'
import { limits } from '../../shared/contract/base/limits.ts'
import type { Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import type { Holder } from '../../shared/runtime/room.ts'
import type { Admitted } from './admit-request.ts'

type Asker = Parameters<Context['proofs']['of']>[0]
type Caller = Pick<Admitted, 'principal' | 'session' | 'organization_id'>

/**
 * Returns the holders that policy work counts for. Operators count apart from the tenant, so that an owner cannot
 * keep them from replacing its policy.
 */
export function proofAsker(
  endpoint: Endpoint,
  caller: Caller,
  params: Request['params'],
  response: Response,
): Asker {
  const [widest, ...others] = proofHolders(caller, String(params.tenant_id ?? '') || null)
  return {
    name: widest?.name ?? '',
    holders: endpoint.proves === 'counted' && widest ? [widest, ...others] : [],
    gone: () => response.destroyed,
    onGone: forget => {
      response.once('close', forget)
    },
  }
}

/** Returns the widest holder first, because policy work takes turns by that holder. */
function proofHolders({ principal, session, organization_id }: Caller, named: string | null): Holder[] {
  const { proofs_per_tenant_max, proofs_per_holder_max } = limits
  const tenantId = principal?.tenant_id ?? named
  const ofTenant = (name: string) => (tenantId === null ? [] : [{ name, most: proofs_per_tenant_max }])
  if (principal?.scope === 'admin') {
    return [
      { name: keyName(principal), most: proofs_per_holder_max },
      ...ofTenant(`tenant ${tenantId} for operators`),
    ]
  }
  const widest = organization_id ?? session?.organization.organization_id
  return [
    ...(widest === undefined ? [] : [{ name: `organization ${widest}`, most: proofs_per_holder_max }]),
    ...ofTenant(`tenant ${tenantId}`),
  ]
}

function keyName(principal: Caller['principal']): string {
  if (principal && 'operator_id' in principal) return `operator ${principal.operator_id}`
  return principal && 'key_id' in principal ? `key ${principal.key_id}` : ''
}
