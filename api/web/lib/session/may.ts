import { rows } from 'virtual:endpoints'
import { useParams } from 'react-router'
import type { EndpointName } from '../../../../shared/contract/endpoints/endpoints.ts'
import { useSession } from './session.ts'
import { useReadsOnly } from './tab-key.ts'

/**
 * Returns a function that tests if the person may call an endpoint in this page's application. Pages hide the
 * other actions; the service enforces the permission itself. With an on-call key, only reading is allowed.
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

export function useDecidesSomewhere(): boolean {
  const session = useSession()
  const [, , roles = []] = rows.decide_owned_approvals
  if (!('profile' in session)) return false
  const { owner, roles: own } = session.profile
  return owner || own.some(({ role }) => roles.includes(role))
}
