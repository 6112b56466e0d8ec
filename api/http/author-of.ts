import { tenantIdSchema } from '../../shared/contract/base/identifier.ts'
import type { Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import type { EndpointName } from '../../shared/contract/endpoints/endpoints.ts'
import { memberRoles } from '../../shared/contract/role-schema.ts'
import type { Credential } from '../../shared/flow/core/hold-author.ts'
import type { Admitted } from './admit-request.ts'

const byItsWork =
  'the transaction of the ledger holds what it is decided with, or its statement checks the key'
const byItsEnd = 'it ends sessions of whoever asks, and is refused where it ended none'

/** Endpoints that change data although not every transaction locks the credential, each with the reason. */
export const heldOtherwise: Readonly<Partial<Record<EndpointName, string>>> = {
  submit_action: byItsWork,
  decide_approvals: byItsWork,
  approve_action: byItsWork,
  reject_action: byItsWork,
  edit_action: byItsWork,
  comment_action: byItsWork,
  cancel_action: byItsWork,
  decide_owned_approvals: byItsWork,
  approve_owned_action: byItsWork,
  reject_owned_action: byItsWork,
  edit_owned_action: byItsWork,
  comment_owned_action: byItsWork,
  log_out: byItsEnd,
  sign_out_operator: byItsEnd,
}

/**
 * Returns the credential that every writing transaction of a request locks, so that the credential cannot end
 * before the commit. Null if the request changes no data or its credential is checked in another way.
 */
export function authorOf(
  name: EndpointName,
  { method, roles }: Endpoint,
  { principal, session, operator }: Admitted,
  params: Readonly<Record<string, unknown>>,
): Credential | null {
  if (method === 'GET' || name in heldOtherwise) return null
  if (principal && 'key_id' in principal) return { key_id: principal.key_id }
  if (operator) return { operator_hash: operator.session_hash }
  if (!session) return null
  const tenant_id = tenantIdSchema.safeParse(params.tenant_id).data ?? null
  const asked = roles ?? (tenant_id === null ? null : memberRoles)
  return { session_hash: session.session_hash, tenant_id, roles: asked }
}
