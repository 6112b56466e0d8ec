import { canonicalJson } from '../canon/canonical-json.ts'
import { type Issue, ServiceError } from '../contract/errors.ts'
import type { JsonValue } from '../contract/json.ts'
import type { Policy } from '../contract/policy.ts'
import type { Author } from '../contract/tenant.ts'
import { readPolicy } from '../gate/read-policy.ts'
import type { NewRevision } from '../store/tenants.ts'

/** A policy that passed every rule: its normalized form, its hash, and what is odd about it. */
export interface ValidPolicy {
  policy: Policy
  policy_hash: string
  warnings: Issue[]
}

/** Validate and normalize; every problem at once, each with its path below `prefix` (contract section 5). */
export function validatePolicy(document: unknown, prefix = ''): ValidPolicy {
  const read = readPolicy(document)
  if (read.ok) return { policy: read.policy, policy_hash: read.hash, warnings: read.warnings }
  const issues = read.issues.map(issue => ({ ...issue, path: joined(prefix, issue.path) }))
  throw new ServiceError('validation_failed', 'the policy is not valid', issues)
}

/** A valid policy as a revision to be stored. */
export function newRevision(valid: ValidPolicy, author: Author, note: string | null): NewRevision {
  const policy = canonicalJson(valid.policy as unknown as JsonValue)
  return { policy, policy_hash: valid.policy_hash, author, change_note: note }
}

function joined(prefix: string, path: string): string {
  if (prefix === '' || path === '') return prefix + path
  return `${prefix}.${path}`
}
