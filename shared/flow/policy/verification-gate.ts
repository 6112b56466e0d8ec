import type { Author } from '../../contract/configuration/tenant.ts'
import type { VerificationGate } from '../../contract/configuration/verification.ts'
import { setVerificationGate as setStored } from '../../store/tenant/tenants.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'

/** Say whether revisions of a tenant have to keep what was proved (extension); the same twice is once. */
export async function setVerificationGate(
  context: Context,
  change: { tenant_id: string; gate: VerificationGate; author: Author },
): Promise<VerificationGate> {
  const { tenant_id, gate, author } = change
  return changeConfig(context, tenant_id, author, async (query, { verification_gate }) => {
    if (verification_gate === gate.required) return { answer: gate }
    await setStored(query, tenant_id, gate.required)
    return { answer: gate, entry: { kind: 'verification_gate', payload: { required: gate.required } } }
  })
}
