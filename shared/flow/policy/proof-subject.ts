import type { Catalog } from '../../contract/configuration/catalog.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import type { GateMode, VerificationReport } from '../../contract/configuration/verification.ts'
import type { ActiveDocuments, Drafts } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'

/** What a proof is about, in normalized form. */
export interface ProofSubject {
  policy: Policy
  catalog: Catalog | null
  mode: GateMode
  /** How a report names it; a draft has no revision. */
  named: VerificationReport['subject']
}

/** What a tenant has in force, or drafts in its place. */
export function proofSubject(record: ActiveDocuments, mode: GateMode, drafts: Drafts): ProofSubject {
  const { policy, catalog } = record
  return {
    policy: drafts.policy?.document ?? (JSON.parse(policy.policy) as Policy),
    catalog: drafts.catalog?.document ?? (catalog && (JSON.parse(catalog.catalog) as Catalog)),
    mode,
    named: {
      kind: drafts.policy || drafts.catalog ? 'draft' : 'live',
      policy_revision: drafts.policy ? null : policy.revision,
      policy_hash: drafts.policy?.hash ?? policy.policy_hash,
      catalog_revision: drafts.catalog ? null : (catalog?.revision ?? null),
      catalog_hash: drafts.catalog?.hash ?? catalog?.catalog_hash ?? null,
      mode,
    },
  }
}

/** How the gate of this service decides. */
export function gateMode({ config }: Pick<Context, 'config'>): GateMode {
  return config.strict ? 'strict' : 'basic'
}
