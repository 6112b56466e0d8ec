import { expect } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { AdmissionInput } from '../../../shared/policy-analysis/admit/admit-input.ts'
import type { HoleCase } from './admit-case.ts'
import {
  list,
  objectOf,
  refund,
  routeOf,
  soundPolicy,
  soundTenant,
  withConstraints,
  withDeployment,
  withEntries,
  withPolicy,
} from './admit-world.ts'

const schemaPath = 'catalog.operations[1].parameter_schema'

/** Holes of coverage and of schemas. */
export const policyCases: readonly HoleCase[] = [
  {
    name: 'a system without a list of operations',
    input: withPolicy({ allowed_operations: {} }),
    holes: [
      { code: 'COV-1', system: 'payments', operation: null, path: 'policy.allowed_operations.payments' },
    ],
  },
  {
    name: 'an operation without a catalog entry',
    input: withEntries({}),
    holes: [{ code: 'COV-2', ...refund, operation: 'list', path: 'policy.allowed_operations.payments[0]' }],
  },
  {
    name: 'no catalog at all',
    input: { ...soundTenant(), catalog: null, review: null },
    holes: [{ code: 'COV-2', operation: 'list' }, { code: 'COV-2', operation: 'refund' }, { code: 'COV-4' }],
  },
  {
    name: 'an irreversible operation that nobody decides',
    input: withEntries(list, { minimum_risk: 'low', reversibility: 'irreversible' }),
    holes: [
      { code: 'COV-3', ...refund, witness: expect.objectContaining({ risk: { level: 'low' } }) as never },
      { code: 'COV-4' },
    ],
  },
  {
    name: 'an irreversible operation that somebody decides',
    input: withEntries(list, { reversibility: 'irreversible' }),
    holes: [],
  },
  {
    name: 'a threshold that only claims reach',
    input: withPolicy({ approval_required_at: 'high' }),
    holes: [{ code: 'COV-4', system: null, operation: null, path: 'policy.approval_required_at' }],
  },
  {
    name: 'a threshold that everything reaches',
    input: withPolicy({ approval_required_at: 'low' }),
    holes: [],
  },
  {
    name: 'an entry that is not allowed',
    input: withEntries(list, {}, { operation: 'void' }),
    holes: [{ code: 'COV-5', ...refund, operation: 'void', path: 'catalog.operations[2]' }],
  },
  {
    name: 'constraints of what is not allowed',
    input: withPolicy({
      parameter_constraints: {
        ...soundPolicy.parameter_constraints,
        other: { op: { a: { required: true } } },
      },
    }),
    holes: [
      { code: 'COV-5', system: 'other', operation: 'op', path: 'policy.parameter_constraints.other.op' },
    ],
  },
  {
    name: 'constraints that the schema excludes',
    input: withConstraints({ amount: { required: true, min: 200 } }),
    holes: [{ code: 'COV-6', ...refund, path: 'policy.allowed_operations.payments[1]' }],
  },
  {
    name: 'constraints that exclude each other',
    input: withConstraints({ order: { required: true, equals: {} }, 'order.id': { required: true } }),
    holes: [{ code: 'COV-6', ...refund }],
  },
  {
    name: 'a bound that the schema has already',
    input: withConstraints({
      amount: { required: true, max: 50 },
      currency: { required: true, one_of: ['EUR', 'GBP', 'USD', 'x'] },
    }),
    holes: [{ code: 'COV-7', ...refund, path: 'policy.parameter_constraints.payments.refund.currency' }],
  },
  {
    name: 'a parameter that is required twice, and one that nothing is asked of',
    input: withConstraints({ amount: { required: true }, currency: { required: false } }),
    holes: [
      { code: 'COV-7', path: 'policy.parameter_constraints.payments.refund.amount' },
      { code: 'COV-7', path: 'policy.parameter_constraints.payments.refund.currency' },
    ],
  },
  {
    name: 'an optional parameter whose bound matters',
    input: withConstraints({ amount: { required: false, max: 50 } }),
    holes: [],
  },
  {
    name: 'nobody who approves',
    input: withDeployment({ approvers: 0 }),
    holes: [{ code: 'COV-8', system: null, path: 'policy.review_route' }],
  },
  {
    name: 'fewer who approve than it takes',
    input: {
      ...withDeployment({ approvers: 1 }),
      policy: { ...soundPolicy, approvals_required: 2 },
      routes: [routeOf(1, ['name:ada', 'name:bob'])],
    },
    holes: [{ code: 'COV-8', system: null, path: 'policy.review_route' }],
  },
  {
    name: 'as many who approve as it takes',
    input: {
      ...withDeployment({ approvers: 2 }),
      policy: { ...soundPolicy, approvals_required: 2 },
      routes: [routeOf(1, ['name:ada', 'name:bob'])],
    },
    holes: [],
  },
  {
    name: 'a route that the tenant does not have',
    input: { ...soundTenant(), routes: [] },
    holes: [{ code: 'COV-9', severity: 'warning', system: null, path: 'policy.review_route' }],
  },
  {
    name: 'a group without people',
    input: { ...soundTenant(), routes: [routeOf(1, [])] },
    holes: [{ code: 'COV-10', message: 'support: 1 approvals are needed, and there are 0 people' }],
  },
  {
    name: 'groups that share their only person',
    input: {
      ...soundTenant(),
      routes: [routeOf(1, ['name:ada'], { approvals: 1, people: ['name:ada'] })],
    },
    holes: [{ code: 'COV-10', message: 'support, security: 2 approvals are needed, and there are 1 people' }],
  },
  {
    name: 'groups that share a person of theirs',
    input: {
      ...soundTenant(),
      routes: [routeOf(1, ['name:ada'], { approvals: 1, people: ['name:ada', 'name:sam'] })],
    },
    holes: [],
  },
  {
    name: 'a route of fewer people than the policy takes',
    input: {
      ...withDeployment({ approvers: 2 }),
      policy: { ...soundPolicy, approvals_required: 2 },
    },
    holes: [{ code: 'COV-10' }],
  },
  {
    name: 'nobody who approves, and nothing that was reviewed',
    input: { ...withDeployment({ approvers: 0 }), catalog: null, review: null },
    holes: [{ code: 'COV-2' }, { code: 'COV-2' }, { code: 'COV-4' }],
  },
  {
    name: 'nobody who approves, and everything is allowed in basic mode',
    input: {
      ...withDeployment({ approvers: 0 }),
      policy: { ...soundPolicy, allowed_operations: {} },
      catalog: null,
      review: null,
      mode: 'basic',
    },
    holes: [{ code: 'COV-1' }, { code: 'COV-8' }],
  },
  {
    name: 'nobody who approves, and nothing that is allowed',
    input: {
      ...withDeployment({ approvers: 0 }),
      policy: { ...soundPolicy, allowed_operations: { payments: [] }, parameter_constraints: {} },
    },
    holes: [
      { code: 'COV-5', operation: 'list' },
      { code: 'COV-5', operation: 'refund' },
    ],
  },
  {
    name: 'an open object, deep inside',
    input: withSchema({ order: { type: 'object', properties: { id: { type: 'string', maxLength: 9 } } } }),
    holes: [{ code: 'SCH-1', ...refund, path: `${schemaPath}.properties.order` }],
  },
  {
    name: 'keywords that nobody knows, references that lead out and values without a type',
    input: withSchema({
      a: { type: 'string', maxLength: 9, secret: true },
      b: { $ref: 'https://elsewhere.example/schema' },
      c: {},
    }),
    holes: [
      { code: 'SCH-2', path: `${schemaPath}.properties.a.secret` },
      { code: 'SCH-2', path: `${schemaPath}.properties.b` },
      { code: 'SCH-2', path: `${schemaPath}.properties.b.$ref` },
      { code: 'SCH-2', path: `${schemaPath}.properties.c` },
    ],
  },
  {
    name: 'a keyword that the gate takes and no proof knows',
    input: withSchema({ a: { type: 'string', maxLength: 9, pattern: '^[ab]*b[ab]{12}$' } }),
    holes: [
      { code: 'SCH-2', path: schemaPath, message: expect.stringMatching(/keyword pattern of a$/) as never },
    ],
  },
  {
    name: 'values without a bound',
    input: withSchema(
      {
        a: { type: 'string' },
        b: { type: 'number', minimum: 0 },
        c: { type: 'array', items: { type: 'integer', minimum: 0, maximum: 1 } },
        d: { type: ['string', 'null'] },
        e: { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'integer' }] },
        f: { $ref: '#/$defs/f' },
      },
      { $defs: { f: { type: 'string', maxLength: 1 } } },
    ),
    holes: ['a', 'b', 'c', 'd', 'e'].map(name => ({
      code: 'SCH-3',
      path: `${schemaPath}.properties.${name}`,
    })),
  },
  {
    name: 'values with a bound',
    input: withSchema({
      a: { type: 'string', enum: ['x'] },
      b: { const: 5 },
      c: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      d: { type: 'array', items: { type: 'boolean' }, maxItems: 4 },
      e: { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] },
      f: { allOf: [{ type: 'string' }, { type: 'string', maxLength: 5 }] },
    }),
    holes: [],
  },
  {
    name: 'a constraint on what the schema does not know',
    input: withConstraints({ 'order.number': { required: false, equals: 1 } }),
    holes: [
      { code: 'SCH-4', ...refund, path: 'policy.parameter_constraints.payments.refund.order.number' },
      { code: 'COV-7' },
    ],
  },
  {
    name: 'a constraint through an array, and on a name with a dot',
    input: {
      ...withSchema({
        'a.b': { type: 'boolean' },
        list: { type: 'array', items: objectOf({ id: { type: 'boolean' } }), maxItems: 3 },
      }),
      policy: {
        ...soundPolicy,
        parameter_constraints: {
          payments: {
            refund: {
              'a.b': { required: false, equals: true },
              'list.id': { required: false, equals: true },
            },
          },
        },
      },
    },
    holes: [
      { code: 'SCH-4', message: expect.stringContaining('"a.b" of the schema holds a dot') as never },
      { code: 'SCH-4', message: expect.stringContaining('through an array') as never },
      { code: 'COV-6' },
    ],
  },
  {
    name: 'a schema that nothing satisfies',
    input: withSchema({ a: { type: 'number', minimum: 5, maximum: 4 } }),
    holes: [{ code: 'SCH-5', ...refund, path: schemaPath }],
  },
]

/** Refunds with other parameters and no constraints. */
function withSchema(properties: JsonObject, more: JsonObject = {}): AdmissionInput {
  const input = withEntries(list, { parameter_schema: objectOf(properties, more) })
  return { ...input, policy: { ...soundPolicy, parameter_constraints: {} } }
}
