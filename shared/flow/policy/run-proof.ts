import { ServiceError } from '../../contract/base/errors.ts'
import type { Slices } from '../../contract/base/slices.ts'
import type { VerificationReport, VerificationRequest } from '../../contract/configuration/verification.ts'
import { outcomeProblems } from '../../policy-analysis/verify/outcome-problems.ts'
import { type Verification, verifyPolicy } from '../../policy-analysis/verify/verify-policy.ts'
import { version } from '../../runtime/version.ts'
import type { Context } from '../core/context.ts'
import type { ProofSubject } from './proof-subject.ts'

/** What is asked of a policy: the part of a request that a stored report can be asked again with. */
export type Queries = Pick<VerificationRequest, 'forbidden' | 'required' | 'bounds'>

/** What proves; a report of another version has to be made again. */
export const engine: VerificationReport['engine'] = { name: 'action-gate', version }

/** Prove outcomes, between which others get their turn; all that is wrong with them is told at once. */
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
