import type { Issue } from '../contract/errors.ts'
import { issuesOf } from '../contract/issues.ts'
import { isPlainObject } from '../contract/json.ts'
import { policySchema } from '../contract/policy.ts'
import { constraintProblems } from './constraint-problems.ts'
import { documentProblems } from './document-problems.ts'
import { type NormalizedPolicy, normalizeSafe } from './normalize-policy.ts'

/**
 * Reads a policy as someone wrote it: shape, then meaning, then normalized form (contract section 5). Every problem is
 * reported at once, also contradictions in the well-formed part of a document whose shape is wrong elsewhere.
 */
export function readPolicy(value: unknown): NormalizedPolicy {
  const unsafe = documentProblems(value)
  if (unsafe.length > 0) return { ok: false, issues: unsafe }
  const parsed = policySchema.safeParse(value)
  if (parsed.success) return normalizeSafe(parsed.data)
  return { ok: false, issues: [...issuesOf(parsed.error), ...contradictionsIn(value)] }
}

function contradictionsIn(value: unknown): Issue[] {
  return isPlainObject(value) ? constraintProblems(value.parameter_constraints).errors : []
}
