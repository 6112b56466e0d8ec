import type { Catalog } from '../contract/catalog.ts'
import { endpoints } from '../contract/endpoints/endpoints.ts'
import { ServiceError } from '../contract/errors.ts'
import type { Integration } from '../contract/integration.ts'
import type { Policy } from '../contract/policy.ts'
import { exampleProposal } from '../gate/example-proposal.ts'
import { readGoverning } from '../store/governing.ts'
import { compileRules } from './compile-rules.ts'
import type { Context } from './context.ts'
import { snippets } from './snippets.ts'

/** The bundle for a key of this scope: where to call, an example derived from the policy, and code that runs. */
export async function integrationBundle(
  context: Context,
  tenantId: string,
  scope: Integration['scope'],
): Promise<Integration> {
  const record = await context.store.look([tenantId], query => readGoverning(query, tenantId))
  if (!record) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
  const { governing } = compileRules(record, context.config.strict)
  const policy = JSON.parse(record.policy.policy) as Policy
  const catalog = record.catalog && (JSON.parse(record.catalog.catalog) as Catalog)
  const example = exampleProposal(policy, catalog, governing)
  return {
    scope,
    tenant_id: tenantId,
    policy: governing.policy,
    endpoints: endpointMap(context.config.base_url, scope),
    example_proposal: example,
    snippets: snippets(scope, example, context.config.base_url),
  }
}

/** The rows of the endpoint table that a key of this scope may call. */
function endpointMap(baseUrl: string, scope: Integration['scope']): Integration['endpoints'] {
  const open = Object.entries(endpoints).filter(
    ([, { access }]) => access === scope || access === 'agent_or_approver',
  )
  return Object.fromEntries(
    open.map(([name, { method, path }]) => [name, { method, url: `${baseUrl}${path}` }]),
  )
}
