import type { Proposal } from '../../contract/action/proposal-schema.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Integration } from '../../contract/configuration/getting-started.ts'
import { endpoints } from '../../contract/endpoints/endpoints.ts'
import { exampleProposal } from '../../gate/example-proposal.ts'
import { type AccessRules, decideFor, namedTargets } from '../../gate/operation-access.ts'
import { readActiveDocuments } from '../../store/tenant/active-documents.ts'
import { type ActiveDocuments, compileRules } from '../core/compile-rules.ts'
import { callableUrl } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { accessRules, listAccess } from '../policy/read-access.ts'
import { gateMode, type ProofSubject, proofSubject, runProof } from '../policy/run-proof.ts'
import { snippets } from './snippets.ts'

/** The caller for whom the bundle is; `key_id` is null for a key that is yet to be made. */
export interface Integrating {
  scope: Integration['scope']
  key_id: string | null
}

export const ofNewKey: Integrating = { scope: 'agent', key_id: null }

export async function integrationBundle(
  context: Context,
  tenantId: string,
  integrating: Integrating,
): Promise<Integration> {
  const record = await context.store.look([tenantId], query => readActiveDocuments(query, tenantId))
  if (!record) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
  return bundleOf(context, { tenant_id: tenantId, record }, integrating)
}

/** Builds the bundle before tenant or key is stored, so that a failure leaves neither. */
export async function bundleOf(
  context: Context,
  { tenant_id, record }: { tenant_id: string; record: ActiveDocuments },
  { scope, key_id }: Integrating,
): Promise<Integration> {
  const subject = proofSubject(record, gateMode(context), {})
  const agent = scope === 'agent' ? key_id : null
  const rules = accessRules(subject, compileRules(record, context.config.strict), record, agent)
  const targets = namedTargets({ ...subject, actuators: record.actuators })
  const shown = targets.slice(0, limits.integration_operations_max)
  const example = await allowedExample(context, subject, rules)
  return {
    scope,
    tenant_id,
    policy: rules.compiled.policy,
    endpoints: endpointMap(context.config.base_url, scope),
    operations: await listAccess(context, rules, shown),
    operations_left_out: targets.length - shown.length,
    example_proposal: example,
    snippets: snippets(scope, example, callableUrl(context)),
  }
}

/** The step limit of a proof, because an example is not worth a longer one. */
const exampleStepsMax = 100_000

/**
 * Returns an example that the policy allows, if one is found (specification.md#endpoints): a readable one, or else
 * one with the parameters of a proof. Otherwise it returns the readable one, which the gate holds or denies.
 */
async function allowedExample(
  context: Context,
  subject: ProofSubject,
  rules: AccessRules,
): Promise<Proposal> {
  const decide = (proposal: Proposal) => decideFor(rules, proposal).decision
  const example = exampleProposal(subject.policy, subject.catalog, decide)
  if (rules.compiled.approvalRequiredAt === 'low' || decide(example) === 'allow') return example
  const { outcomes } = await runProof(context, subject, {
    required: [{ name: 'an example', decision: 'allow' }],
    bounds: { max_steps: exampleStepsMax },
  })
  const witness = outcomes[0]?.witness
  if (!witness) return example
  const { target_system, operation, parameters } = witness.action
  const found = {
    ...example,
    summary: `Example: ${operation} on ${target_system}`,
    action: { ...example.action, target_system, operation, parameters },
  }
  return decide(found) === 'allow' ? found : example
}

function endpointMap(baseUrl: string, scope: Integration['scope']): Integration['endpoints'] {
  const open = Object.entries(endpoints).filter(
    ([, { access }]) => access === scope || access === 'agent_or_approver',
  )
  return Object.fromEntries(
    open.map(([name, { method, path }]) => [name, { method, url: `${baseUrl}${path}` }]),
  )
}
