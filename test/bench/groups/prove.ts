import { ok, strictEqual } from 'node:assert/strict'
import type { Slices } from '../../../shared/contract/base/slices.ts'
import type { Catalog } from '../../../shared/contract/configuration/catalog.ts'
import type { PolicyInput } from '../../../shared/contract/configuration/policy.ts'
import type { OutcomeQuery, Where } from '../../../shared/contract/configuration/verification-schema.ts'
import { readCatalog, readPolicy } from '../../../shared/gate/read-documents.ts'
import { diffPolicies } from '../../../shared/policy-analysis/diff/diff-policies.ts'
import type { Subject } from '../../../shared/policy-analysis/operations.ts'
import { verifyPolicy } from '../../../shared/policy-analysis/verify/policy-verification.ts'
import type { BenchOptions } from '../bench.ts'
import { type Emit, median, note } from '../figure.ts'

const bench = 'prove'
const payments = 'payments'
const constrained = 10
const outcomes = 100

/**
 * Proofs of 100 outcomes over operations with 10 constraints each, no two constraints alike. None is reachable: every
 * operation has to be looked at for every outcome.
 */
export async function benchProve({ emit, quick }: BenchOptions): Promise<void> {
  const sizes = quick ? [100, 1_000] : [100, 1_000, 5_000]
  const rounds = quick ? 3 : 7
  for (const catalogued of [false, true]) {
    for (const operations of sizes) timeProof({ operations, catalogued, rounds }, emit)
  }
  for (const operations of sizes) timeDiff(operations, rounds, emit)
}

interface Size {
  operations: number
  catalogued: boolean
  rounds: number
}

function timeProof({ operations, catalogued, rounds }: Size, emit: Emit): void {
  note(`prove: ${outcomes} outcomes over ${operations} operations${catalogued ? ' with a catalog' : ''}`)
  const subject = subjectOf(operations, catalogued)
  const forbidden = Array.from({ length: outcomes }, (_, at) => forbiddenOutcome(at))
  const begin = () => verifyPolicy({ ...subject, forbidden })
  const runs = Array.from({ length: rounds }, () => timeSlices(begin))
  const last = runs.at(-1)
  ok(last, 'a round was run')
  strictEqual(last.value.result, 'verified', 'every outcome is proved unreachable')
  const detail = {
    operations,
    constraints: constrained,
    outcomes,
    longest_slice_ms: median(runs.map(({ longest }) => longest)),
    classes: last.value.explored.classes,
    steps: last.value.explored.paths,
  }
  const figure = `verify_${operations}_operations${catalogued ? '_catalogued' : ''}`
  emit({ bench, figure, value: median(runs.map(({ took }) => took)), unit: 'ms', detail })
}

/** A draft that changes one bound of every operation. */
function timeDiff(operations: number, rounds: number, emit: Emit): void {
  note(`prove: the difference of two policies of ${operations} operations`)
  const from = subjectOf(operations, true)
  const to = { ...subjectOf(operations, true, 1), catalog: from.catalog }
  const runs = Array.from({ length: rounds }, () =>
    timeSlices(() => diffPolicies({ from, to, mode: 'basic' })),
  )
  const detail = { operations, longest_slice_ms: median(runs.map(({ longest }) => longest)) }
  const figure = `diff_${operations}_operations`
  emit({ bench, figure, value: median(runs.map(({ took }) => took)), unit: 'ms', detail })
}

/** Milliseconds of processor time in all, and of the clock for the longest slice. */
function timeSlices<Value>(begin: () => Slices<Value>): { value: Value; took: number; longest: number } {
  const begun = process.cpuUsage()
  const work = begin()
  let longest = 0
  for (;;) {
    const resumed = performance.now()
    const { done, value } = work.next()
    const now = performance.now()
    longest = Math.max(longest, now - resumed)
    if (!done) continue
    const { user, system } = process.cpuUsage(begun)
    return { value, took: (user + system) / 1_000, longest }
  }
}

/** Bounds, constants and negations in turn: those that plainly exclude each other, and those for which classes are tried. */
function forbiddenOutcome(at: number): OutcomeQuery {
  const beyond = 100_000 + at
  const asked: Where[] = [
    { min: beyond },
    { equals: beyond },
    { one_of: [beyond, `${beyond}`] },
    { not: { max: beyond }, present: true },
  ]
  const where = { [`amount_${at % constrained}`]: asked[at % asked.length] ?? {} }
  return { name: `too much ${at}`, decision: 'allow', where }
}

function subjectOf(operations: number, catalogued: boolean, more = 0): Subject {
  const policy = readPolicy(policyOf(operations, more))
  const catalog = catalogued ? readCatalog(catalogOf(operations)) : null
  ok(policy.ok && catalog?.ok !== false, 'the documents are valid')
  return { policy: policy.policy, catalog: catalog?.catalog ?? null, mode: 'basic' }
}

function operationName(at: number): string {
  return `refund_${at}`
}

function parameterNames(): string[] {
  return Array.from({ length: constrained }, (_, at) => `amount_${at}`)
}

function policyOf(operations: number, more: number): PolicyInput {
  const names = Array.from({ length: operations }, (_, at) => operationName(at))
  const constraintsOf = (at: number) =>
    parameterNames().map((name, index) => [name, { min: 0.01, max: 50 + at + index / 16 + more }] as const)
  return {
    allowed_systems: [payments],
    allowed_operations: { [payments]: names },
    parameter_constraints: {
      [payments]: Object.fromEntries(names.map((name, at) => [name, Object.fromEntries(constraintsOf(at))])),
    },
    approval_required_at: 'high',
    review_route: 'support-leads',
  }
}

function catalogOf(operations: number): Catalog {
  const properties = () => parameterNames().map(name => [name, { type: 'number', exclusiveMinimum: 0 }])
  return {
    operations: Array.from({ length: operations }, (_, at) => ({
      system: payments,
      operation: operationName(at),
      title: `Refund ${at}`,
      parameter_schema: {
        type: 'object',
        properties: { ...Object.fromEntries(properties()), note: { type: 'string', maxLength: 500 } },
        required: parameterNames(),
        additionalProperties: false,
      },
      minimum_risk: 'low' as const,
      effects: ['moves money'],
      reversibility: 'compensatable' as const,
      actuator: { name: payments, kind: 'mock' },
      idempotency: 'key_honoured' as const,
      tool_schema_hash: null,
    })),
  }
}
