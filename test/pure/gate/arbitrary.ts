import fc from 'fast-check'
import { type Proposal, riskLevels } from '../../../shared/contract/action/proposal-schema.ts'
import type { JsonObject, JsonValue } from '../../../shared/contract/base/json.ts'
import { inOneGo } from '../../../shared/contract/base/slices.ts'
import type { Constraint, PolicyInput } from '../../../shared/contract/configuration/policy.ts'
import { constraintProblems } from '../../../shared/gate/constraint-problems.ts'

// A small world, so that policies and proposals meet: few names, few values, the awkward ones among them.

export const systems = ['crm', 'constructor', 'toString']
export const operations = ['read', 'hasOwnProperty', 'valueOf']
const paths = ['n', 'm', 'n.m', 'constructor', 'constructor.name']

const number = fc.constantFrom(-2, -1, -0, 0, 0.5, 1, 1.5, 2, 3)
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(number, fc.constantFrom(null, true, false, '', '1', 'é'))
const composite = fc.constantFrom<JsonValue[]>(
  [],
  [0],
  [-0],
  [1, 2],
  [2, 1],
  {},
  { m: 1 },
  { m: '1' },
  { m: 1, n: 2 },
  { n: 2, m: 1 },
  { 'm.n': 1 },
  { m: { n: 1 } },
  { m: [{ n: 1 }] },
  { name: 'Object' },
)
const anyValue: fc.Arbitrary<JsonValue> = fc.oneof(number, scalar, composite)

/** Keys one by one and together, as far as they do not contradict each other. */
const constraint: fc.Arbitrary<Constraint> = fc
  .record(
    {
      required: fc.boolean(),
      equals: anyValue,
      one_of: fc.array(anyValue, { minLength: 1, maxLength: 3 }),
      min: fc.constantFrom(-1, -0, 0, 1, 1.5),
      max: fc.constantFrom(0, 1, 1.5, 2),
    },
    { requiredKeys: [] },
  )
  .filter(keys => inOneGo(constraintProblems({ system: { operation: { path: keys } } })).errors.length === 0)

const constraints = membersOf(paths, constraint)

const rest = {
  approval_required_at: fc.constantFrom(...riskLevels),
  review_route: fc.constantFrom('ops', 'leads'),
}

/** Policies that normalize. */
export const policyArbitrary: fc.Arbitrary<PolicyInput> = fc.record(
  {
    allowed_systems: fc.array(fc.constantFrom(...systems), { maxLength: 5 }),
    allowed_operations: membersOf(systems, fc.array(fc.constantFrom(...operations), { maxLength: 4 })),
    parameter_constraints: membersOf(systems, membersOf(operations, constraints)),
    ...rest,
  },
  { requiredKeys: ['allowed_systems', 'approval_required_at', 'review_route'] },
)

/** Policies that constrain every operation of one system. */
export const constrainingPolicyArbitrary: fc.Arbitrary<PolicyInput> = fc.record({
  allowed_systems: fc.constant(['crm']),
  parameter_constraints: constraints.map(every => ({
    crm: Object.fromEntries(operations.map(operation => [operation, every])),
  })),
  ...rest,
})

const parameters: fc.Arbitrary<JsonObject> = fc.record(
  { n: fc.oneof(number, anyValue), m: scalar, constructor: scalar, 'n.m': scalar },
  { requiredKeys: ['n'], noNullPrototype: true },
)

export const proposalArbitrary: fc.Arbitrary<Proposal> = fc.record({
  proposal_id: fc.constant('p-1'),
  actor: fc.constant({ agent_id: 'agent' }),
  summary: fc.constant('generated'),
  action: fc.record({
    target_system: fc.constantFrom(...systems),
    operation: fc.constantFrom(...operations),
    parameters,
  }),
  risk: fc.record({ level: fc.constantFrom(...riskLevels) }),
})

function membersOf<Value>(
  names: readonly string[],
  value: fc.Arbitrary<Value>,
): fc.Arbitrary<Record<string, Value>> {
  return fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 2, noNullPrototype: true })
}
