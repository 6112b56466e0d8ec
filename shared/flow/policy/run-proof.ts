import { ServiceError } from '../../contract/base/errors.ts'
import type { Slices } from '../../contract/base/slices.ts'
import type { Catalog } from '../../contract/configuration/catalog.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import type {
  GateMode,
  VerificationReport,
  VerificationRequest,
} from '../../contract/configuration/verification-schema.ts'
import { outcomeProblems } from '../../policy-analysis/verify/outcome-problems.ts'
import { type Verification, verifyPolicy } from '../../policy-analysis/verify/policy-verification.ts'
import { version } from '../../runtime/version.ts'
import type { ActiveDocuments, Drafts } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'

export interface ProofSubject {
  policy: Policy
  catalog: Catalog | null
  mode: GateMode
  named: VerificationReport['subject']
}

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

export function gateMode({ config }: Pick<Context, 'config'>): GateMode {
  return config.strict ? 'strict' : 'basic'
}

export type Queries = Pick<VerificationRequest, 'forbidden' | 'required' | 'bounds'>

/** The engine's version; a report by another version must be made again. */
export const engine: VerificationReport['engine'] = { name: 'action-gate', version }

export async function runProof(
  context: Context,
  subject: ProofSubject,
  { forbidden, required, bounds }: Queries,
): Promise<Omit<Verification, 'mismatches'>> {
  const { policy, catalog, mode } = subject
  const { body_limit: bodyLimit } = context.config
  const proof = proveSound({ policy, catalog, mode, forbidden, required, bounds, bodyLimit })
  const { mismatches, ...verification } = await context.prove(proof)
  if (mismatches.length > 0) context.events.proofNotConfirmed(mismatches)
  return verification
}

function* proveSound(input: Parameters<typeof verifyPolicy>[0] & Queries): Slices<Verification> {
  const issues = yield* outcomeProblems(input)
  if (issues.length > 0) throw new ServiceError('validation_failed', 'the outcomes are not valid', issues)
  return yield* verifyPolicy(input)
}
