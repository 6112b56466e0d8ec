import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { inOneGo } from '../../../shared/contract/base/slices.ts'
import type { CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import type { PolicyInput } from '../../../shared/contract/configuration/policy.ts'
import type {
  OutcomeAnswer,
  OutcomeQuery,
} from '../../../shared/contract/configuration/verification-schema.ts'
import { readCatalog, readPolicy } from '../../../shared/gate/read-documents.ts'
import type { Subject } from '../../../shared/policy-analysis/operations.ts'
import {
  type Verification,
  verifyPolicy,
} from '../../../shared/policy-analysis/verify/policy-verification.ts'

export type Constraints = NonNullable<PolicyInput['parameter_constraints']>[string][string]

/** A policy that allows `refund` of `payments` under constraints. */
export function policyWith(constraints: Constraints, more: Partial<PolicyInput> = {}): PolicyInput {
  return {
    allowed_systems: ['payments'],
    allowed_operations: { payments: ['refund'] },
    parameter_constraints: { payments: { refund: constraints } },
    approval_required_at: 'high',
    review_route: 'support-leads',
    ...more,
  }
}

/** An entry for `refund` of `payments` with these properties. */
export function entryWith(
  properties: JsonObject,
  more: Partial<CatalogOperation> = {},
  keywords: JsonObject = {},
): CatalogOperation {
  return {
    system: 'payments',
    operation: 'refund',
    title: 'Refund',
    parameter_schema: { type: 'object', properties, additionalProperties: false, ...keywords },
    minimum_risk: 'low',
    effects: ['moves money'],
    reversibility: 'compensatable',
    actuator: { name: 'payments', kind: 'mock' },
    idempotency: 'none',
    tool_schema_hash: null,
    ...more,
  }
}

export function subjectOf(
  policy: PolicyInput,
  entries: CatalogOperation[] | null = null,
  mode: Subject['mode'] = 'basic',
): Subject {
  const read = readPolicy(policy)
  if (!read.ok) throw new Error(JSON.stringify(read.issues))
  const catalog = entries && readCatalog({ operations: entries })
  if (catalog?.ok === false) throw new Error(JSON.stringify(catalog.issues))
  return { policy: read.policy, catalog: catalog?.catalog ?? null, mode }
}

export function verify(
  subject: Subject,
  forbidden: Partial<OutcomeQuery>[],
  maxSteps?: number,
): Verification {
  const named = forbidden.map((query, at) => ({
    name: `outcome ${at}`,
    decision: 'allow' as const,
    ...query,
  }))
  return inOneGo(verifyPolicy({ ...subject, forbidden: named, bounds: { max_steps: maxSteps } }))
}

/** The answer to one outcome; it is an error if the gate did not confirm a witness. */
export function answerTo(subject: Subject, query: Partial<OutcomeQuery>): OutcomeAnswer {
  const { outcomes, mismatches } = verify(subject, [query])
  const [answer] = outcomes
  if (!answer || mismatches.length > 0) throw new Error(`not confirmed: ${mismatches}`)
  return answer
}
