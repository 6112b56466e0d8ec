import type { Proposal } from '../../contract/action/proposal-schema.ts'
import { policyTemplates } from '../../gate/templates.ts'
import { anyTenant } from '../../store/tenant/tenant-rows.ts'
import type { Context } from '../core/context.ts'
import { issueAdminKey, issueKey } from '../tenant/issue-key.ts'
import { storeTenant, templateSource } from '../tenant/store-tenant.ts'

export interface DemoTenant {
  tenant_id: string
  admin_key: string
  agent_key: string
  approver_key: string
  proposal: Proposal
}

const demoTemplate = 'support'

/**
 * Creates tenant `demo` and its keys if the database holds no tenant, otherwise returns null
 * (specification.md#modes-and-start-up).
 */
export async function seedDemo(context: Context): Promise<DemoTenant | null> {
  if (await context.store.look('all', anyTenant)) return null
  const template = policyTemplates.find(({ name }) => name === demoTemplate) ?? policyTemplates[0]
  if (!template) throw new Error('there are no policy templates')
  const tenant_id = 'demo'
  const author = { source: `template ${template.name}` }
  const made = await storeTenant(context, { tenant_id, author, ...templateSource(template.name) })
  if (!made) return null
  const issue = async (scope: 'agent' | 'approver') => {
    const issued = await issueKey(
      context,
      { name: `demo ${scope}`, scope, tenant_id, expires_at: null },
      author,
    )
    return issued.api_key
  }
  return {
    tenant_id,
    admin_key: await issueAdminKey(context, 'demo admin'),
    agent_key: await issue('agent'),
    approver_key: await issue('approver'),
    proposal: template.example_proposal,
  }
}
