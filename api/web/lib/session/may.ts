import { rows } from 'virtual:endpoints'
import { useParams } from 'react-router'
import type { EndpointName } from '../../../../shared/contract/endpoints/endpoints.ts'
import { useSession } from './session.ts'
import { useReadsOnly } from './tab-key.ts'

/**
 * Whether whoever is signed in may make a request, in the application of the page: what they may not do is left out. The
 * service decides. With the key of a tab, only an on-call key may less than the page offers: it reads.
 */
export function useMay(): (name: EndpointName) => boolean {
  const { tenantId } = useParams()
  const session = useSession()
  const readsOnly = useReadsOnly()
  return name => {
    const [method, path, roles] = rows[name]
    if (readsOnly) return method === 'GET'
    if (roles === undefined || !('profile' in session)) return true
    const { owner, roles: own } = session.profile
    const isOfTenant = path.includes('{tenant_id}')
    return (
      owner ||
      (isOfTenant && own.some(({ tenant_id, role }) => tenant_id === tenantId && roles.includes(role)))
    )
  }
}

/** Whether whoever is signed in decides in any application. */
export function useDecidesSomewhere(): boolean {
  const session = useSession()
  const [, , roles = []] = rows.decide_owned_approvals
  if (!('profile' in session)) return false
  const { owner, roles: own } = session.profile
  return owner || own.some(({ role }) => roles.includes(role))
}
