import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { inOneGo, type Slices } from '../../../shared/contract/base/slices.ts'
import type { CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import type { NormalizedConstraint, Policy } from '../../../shared/contract/configuration/policy.ts'
import type { Where } from '../../../shared/contract/configuration/verification-schema.ts'
import { readPolicy } from '../../../shared/gate/read-documents.ts'
import { proveOperation } from '../../../shared/policy-analysis/admit/admit-proof.ts'
import { verifyPolicy } from '../../../shared/policy-analysis/verify/policy-verification.ts'
import { catalogEntry } from '../gate/gate-case.ts'
import { objectOf } from './admit-world.ts'

const target = { system: 's', operation: 'op' }

const value = fc.constantFrom(0, 1, 2, 'x', true, null)
const required = fc.boolean()
const constraint: fc.Arbitrary<NormalizedConstraint> = fc.oneof(
  fc.record({ required }),
  fc.record({ required, equals: value }),
  fc.record({ required, one_of: fc.uniqueArray(value, { minLength: 1, maxLength: 3 }) }),
  fc.record({ required, min: fc.constantFrom(0, 1), max: fc.constantFrom(1, 2) }),
  fc.record({ required, max: fc.constantFrom(0, 1, 2) }),
)
const constraints = fc.dictionary(fc.constantFrom('a', 'a.b', 'c'), constraint, { maxKeys: 3, minKeys: 1 })

const leaf = fc.constantFrom<JsonObject>(
  { type: 'number', minimum: 0, maximum: 1 },
  { type: ['string', 'null'], maxLength: 1 },
  { enum: [1, 'x'] },
  { type: 'integer', minimum: 2, maximum: 1 },
  objectOf({ b: { type: 'number' } }),
  objectOf({ b: { type: 'boolean' } }, { required: [] }),
)
const schema = fc
  .record({ a: leaf, c: leaf, required: fc.subarray(['a', 'c']) })
  .map(({ a, c, required }) => objectOf({ a, c }, { required }))

it('proves of the parts what verification proves of policies made for the question', () => {
  let broken = 0
  let idle = 0
  fc.assert(
    fc.property(constraints, fc.option(schema), (byPath, parameter_schema) => {
      const policy = policyOf(byPath)
      expect(readPolicy(policy).ok).toBe(true)
      const entry = parameter_schema && catalogEntry({ parameter_schema })
      const proof = proveOperation({ ...target, policy, entry })
      const ask = (work: Slices<boolean | 'inconclusive'>) => inOneGo(work)

      const passes = ask(proof.passes())
      expect(passes).toBe(reaches(policy, entry, {}))
      expect(ask(proof.schemaTakes())).toBe(reaches({ ...policy, parameter_constraints: {} }, entry, {}))
      for (const [path, { required, ...keys }] of Object.entries(byPath)) {
        const { [path]: _, ...others } = byPath
        const ofValue = reaches(policyOf(others), entry, { [path]: violation(required, keys) })
        const expected = ofValue || (path.includes('.') && isHidden(policyOf(others), entry))
        expect(ask(proof.breaksOnly(path)), path).toBe(expected)
        if (expected) broken += 1
        else idle += 1
      }
    }),
    { numRuns: 400 },
  )
  expect(Math.min(broken, idle)).toBeGreaterThan(50)
})

/** By verification, whose witnesses the gate has confirmed: held or allowed, which one threshold makes the same. */
function reaches(policy: Policy, entry: CatalogOperation | null, where: Record<string, Where>): boolean {
  const forbidden = [{ name: 'asked', decision: 'needs_approval', ...target, where } as const]
  const catalog = entry && { operations: [entry] }
  const [answer] = inOneGo(verifyPolicy({ policy, catalog, mode: 'basic', forbidden })).outcomes
  expect(answer?.result).not.toBe('inconclusive')
  return answer?.result === 'reachable'
}

/** What breaks a constraint on `a.b` by shape: `a` is no object, or a member is called so where no schema forbids it. */
function isHidden(policy: Policy, entry: CatalogOperation | null): boolean {
  const noObjects = [0, 1, 2, 'x', '', true, null, []]
  return (
    reaches(policy, entry, { a: { one_of: noObjects } }) || (entry === null && reaches(policy, entry, {}))
  )
}

function violation(required: boolean, keys: Omit<NormalizedConstraint, 'required'>): Where {
  if (Object.keys(keys).length === 0) return required ? { missing: true } : { missing: true, present: true }
  return required ? { not: keys } : { present: true, not: keys }
}

function policyOf(byPath: Record<string, NormalizedConstraint>): Policy {
  return {
    allowed_systems: ['s'],
    allowed_operations: { s: ['op'] },
    parameter_constraints: { s: { op: byPath } },
    approval_required_at: 'low',
    review_route: 'ops',
  }
}
