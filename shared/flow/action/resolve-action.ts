import { prefixedHex } from '../../canon/digest.ts'
import type { ResolutionRequest, ResolutionResponse } from '../../contract/action/action.ts'
import type { KeyPrincipal } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { resolve } from '../../lifecycle/reconcile.ts'
import { changeActions } from '../core/change-action.ts'
import type { Context } from '../core/context.ts'

/**
 * An operator records what became of an action whose outcome is unknown (specification.md#endpoints). Throws
 * `action_not_resolvable` where it is known, and `conflicting_evidence` where a late result says the contrary.
 */
export async function resolveAction(
  context: Context,
  about: { tenant_id: string; action_id: string; request: ResolutionRequest; operator: KeyPrincipal },
): Promise<ResolutionResponse> {
  const { tenant_id, action_id, request, operator } = about
  const { outcome, note, evidence = null, detail = {} } = request
  const decide = resolve({ id: operator.key_id, kind: 'admin' }, { outcome, note, evidence, detail })
  const [resolved] = await changeActions(context, [{ action_id, tenant_id, decide }])
  if (resolved?.ok) {
    const { change, root } = resolved.value
    return { action_id, action_status: change.to, audit_root: prefixedHex(root) }
  }
  const reason = resolved?.error.reason ?? 'not_found'
  if (reason === 'not_found') throw new ServiceError('action_not_found', `no action ${action_id}`)
  if (reason === 'contradicted') {
    throw new ServiceError(
      'conflicting_evidence',
      'a result that came late says that the action was executed',
    )
  }
  throw new ServiceError('action_not_resolvable', 'the outcome of the action is not unknown')
}
