import { describe, expect, it } from 'vitest'
import { inOneGo } from '../../../shared/contract/base/slices.ts'
import {
  admissionReportSchema,
  admissionRequestSchema,
  type Hole,
  holeCodes,
  holeSeverities,
  holesListedMax,
} from '../../../shared/contract/configuration/admission.ts'
import { catalogSchema } from '../../../shared/contract/configuration/catalog.ts'
import {
  exampleNormalizedPolicy,
  exampleOperation,
} from '../../../shared/contract/examples/example-policy.ts'
import {
  exampleAdmission,
  exampleAdmissionRequest,
} from '../../../shared/contract/examples/example-verification.ts'
import { evaluate } from '../../../shared/gate/evaluate.ts'
import { admissionHoles, admissionReport } from '../../../shared/policy-analysis/admit/admit.ts'
import {
  type AdmissionInput,
  readAdmissionCatalog,
} from '../../../shared/policy-analysis/admit/admit-input.ts'
import type { OperationProof } from '../../../shared/policy-analysis/admit/admit-proof.ts'
import { compiledPolicyOf } from '../gate/gate-case.ts'
import { policyCases } from './admit-policy-cases.ts'
import { surroundingCases } from './admit-surrounding-cases.ts'
import { badTenant, entry, list, mock, routeOf, soundTenant, unfinished, withEntries } from './admit-world.ts'

const cases = [...policyCases, ...surroundingCases]

it('a sound tenant has no hole', () => {
  expect(holesOf(soundTenant())).toEqual([])
  expect(admissionReport([])).toMatchObject({ admitted: true, counts: { blocking: 0, warning: 0, info: 0 } })
})

describe('holes', () => {
  it.each(cases)('$name', ({ input, holes }) => {
    const found = holesOf(input)
    expect(found.map(({ code }) => code)).toEqual(holes.map(({ code }) => code))
    expect(found).toEqual(holes.map(expected => expect.objectContaining(expected)))
  })

  it('every code of the table is found, and is of its severity', () => {
    const found = cases.flatMap(({ input }) => holesOf(input))
    expect(new Set(found.map(({ code }) => code))).toEqual(new Set(holeCodes))
    for (const { code, severity, fix } of found) {
      expect(severity).toBe(holeSeverities[code])
      expect(fix).not.toBe('')
    }
  })

  it('the gate allows the witness', () => {
    const input = withEntries(list, { minimum_risk: 'low', reversibility: 'irreversible' })
    const witness = holesOf(input).find(({ code }) => code === 'COV-3')?.witness
    const compiled = compiledPolicyOf(input.policy, {
      ...input,
      catalog: catalogSchema.parse(input.catalog).operations,
      strict: true,
    })
    expect(witness && evaluate(witness, compiled).decision).toBe('allow')
  })

  it('what is not proved of an irreversible operation is a hole', () => {
    const input = withEntries(list, { minimum_risk: 'low', reversibility: 'irreversible' })
    const found = inOneGo(admissionHoles(input, undecided))
    expect(found.map(({ code }) => code)).toEqual(['COV-3', 'COV-4'])
    expect(found[0]).not.toHaveProperty('witness')
  })
})

describe('the answer', () => {
  it('to the example is the one that is shown', () => {
    const shown = {
      ...soundTenant(),
      policy: exampleNormalizedPolicy,
      catalog: { operations: [exampleOperation] },
      actuators: [mock],
    }
    expect(admissionReport(holesOf(shown))).toEqual(exampleAdmission)
    expect(admissionReportSchema.parse(exampleAdmission)).toEqual(exampleAdmission)
    expect(admissionRequestSchema.parse(exampleAdmissionRequest)).toEqual(exampleAdmissionRequest)
  })

  it('comes in slices, one at least after each proof', () => {
    const work = admissionHoles(soundTenant())
    let slices = 0
    while (!work.next().done) slices += 1
    // Two entries are read and looked at, two operations proved, and one constraint.
    expect(slices).toBeGreaterThanOrEqual(7)
  })

  const input = badTenant()
  const report = admissionReport(holesOf(input))

  it('tells all holes of a bad tenant at once', () => {
    // A route is not there, or is too small: never both.
    const small = holesOf({ ...input, routes: [{ ...routeOf(1, []), name: 'nobody' }] })
    const codes = [...report.holes, ...small].map(({ code }) => code)
    expect(new Set(codes)).toEqual(new Set(holeCodes))
    expect(report.admitted).toBe(false)
    expect(admissionReportSchema.parse(report)).toEqual(report)
  })

  it('is the same whatever the order of what it is about', () => {
    const { catalog, actuators, policy } = input
    const turned = {
      ...input,
      actuators: actuators.toReversed(),
      policy: { ...policy, allowed_systems: policy.allowed_systems.toReversed() },
    }
    expect(holesOf(turned)).toEqual(report.holes)
    expect(catalog?.operations.length).toBeGreaterThan(5)
  })

  it('lists the blocking ones first, then by code', () => {
    const rank = { blocking: 0, warning: 1, info: 2 }
    const keys = report.holes.map(({ severity, code }) => rank[severity] * 100 + holeCodes.indexOf(code))
    expect(keys).toEqual(keys.toSorted((left, right) => left - right))
  })

  it('counts what it does not list', () => {
    const [one] = report.holes
    const many = admissionReport(Array(holesListedMax + 5).fill(one))
    expect(many).toMatchObject({ counts: { blocking: holesListedMax + 5 }, holes_omitted: 5 })
    expect(many.holes).toHaveLength(holesListedMax)
  })
})

describe('a draft that is looked at', () => {
  it('may leave out what a reviewer says, and may be open', () => {
    const draft = { operations: [{ ...unfinished(), parameter_schema: { type: 'object' } }] }
    const read = inOneGo(readAdmissionCatalog(JSON.parse(JSON.stringify(draft))))
    if (!read.ok) throw new Error(JSON.stringify(read.error))
    const found = holesOf({ ...soundTenant(), catalog: read.value })
    expect(found.filter(({ operation }) => operation === 'refund').map(({ code }) => code)).toEqual([
      'SCH-1',
      ...['CAT-1', 'CAT-1', 'CAT-1'],
    ])
  })

  it.each([
    ['no catalog', { a: 1 }, 'operations'],
    ['an unknown field', { operations: [{ ...entry({}), b: 1 }] }, 'operations[0].b'],
    ['an operation twice', { operations: [entry({}), entry({})] }, 'operations[1]'],
    ['what is no JSON', { operations: [entry({ title: '\ud800' })] }, 'operations[0].title'],
  ])('may not be %s', (_, value, path) => {
    const read = inOneGo(readAdmissionCatalog(value))
    expect(read.ok ? [] : read.error.map(issue => issue.path)).toContain(path)
  })
})

/** A proof that hits its bounds wherever it can. */
function undecided(): OperationProof {
  const open = function* () {
    yield
    return 'inconclusive' as const
  }
  return { passes: open, schemaTakes: open, breaksOnly: open, allowed: open }
}

function holesOf(input: AdmissionInput): Hole[] {
  return inOneGo(admissionHoles(input))
}
