import type { RegisteredActuator } from '../contract/actuator.ts'
import { ServiceError } from '../contract/errors.ts'
import type { Policy } from '../contract/policy.ts'
import type { Author } from '../contract/tenant.ts'
import { policyTemplates } from '../gate/templates.ts'
import { createTenant } from '../store/tenants.ts'
import type { Context } from './context.ts'
import { newRevision, validatePolicy } from './policy-document.ts'

/** A tenant to be: its policy as written, its actuators, and who makes it. */
export interface NewTenant {
  tenant_id: string
  author: Author
  document: unknown
  actuators: readonly RegisteredActuator[]
}

/** The policy as it was stored, or null when the tenant exists. */
export async function storeTenant(context: Context, tenant: NewTenant): Promise<Policy | null> {
  const { tenant_id, author, document, actuators } = tenant
  const valid = validatePolicy(document, 'policy')
  const made = await createTenant(context.store.writer, {
    tenant_id,
    approval_ttl_ms: context.config.approval_ttl_ms,
    revision: newRevision(valid, author, null),
    actuators: [...new Map(actuators.map(actuator => [actuator.name, actuator])).values()],
  })
  return made ? valid.policy : null
}

/** Policy and actuators of a built-in template. */
export function templateSource(name: string): Pick<NewTenant, 'document' | 'actuators'> {
  const found = policyTemplates.find(template => template.name === name)
  if (!found) {
    const known = policyTemplates.map(template => template.name).join(', ')
    const issue = { path: 'template', code: 'unknown_template', message: `is not one of ${known}` }
    throw new ServiceError('validation_failed', 'the template is not known', [issue])
  }
  return { document: found.policy, actuators: mocks(found.mock_actuators) }
}

/** Registrations of mock actuators by name. */
export function mocks(names: readonly string[] = []): RegisteredActuator[] {
  return names.map(name => ({ name, kind: 'mock', settings: {} }))
}
