import { z } from 'zod'
import { proposalSchema } from '../action/proposal-schema.ts'
import { type Check, type Decision, decisionSchema } from '../action/verdict.ts'
import { documentSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'

const nameSchema = z.string().min(1).max(limits.identifier_length_max)

/**
 * A policy regression fixture (specification.md#fixtures). `catalog`, `strict` and `blocking_reason` are optional.
 */
export const fixtureSchema = z
  .strictObject({
    name: nameSchema,
    policy: documentSchema('Policy').describe('The policy under test.'),
    catalog: documentSchema('Catalog').optional().describe('The catalog under which it is tested.'),
    strict: z
      .boolean()
      .optional()
      .describe('Whether the gate decides in strict mode; `false` where not given.'),
    cases: z
      .array(
        z.strictObject({
          name: nameSchema,
          proposal: proposalSchema,
          expect: z.strictObject({
            decision: decisionSchema,
            review_route: z.string().min(1).optional().describe('Who decides; with `needs_approval`.'),
            blocking_reason: z
              .string()
              .min(1)
              .optional()
              .describe('The code of a reason for the denial, or text that one of them holds.'),
          }),
        }),
      )
      .min(1),
  })
  .meta({
    id: 'PolicyFixture',
    title: 'Policy regression fixture',
    description: 'Proposals, and what the policy is expected to decide about them.',
  })
export type Fixture = z.infer<typeof fixtureSchema>
export type FixtureCase = Fixture['cases'][number]

/** A difference from the expected decision. `actual` is the gate's decision; null if the gate made none. */
export interface Difference {
  field: keyof FixtureCase['expect']
  expected: string
  actual: string | null
}

export interface CheckedCase {
  name: string
  decision: Decision
  differences: Difference[]
  decided_by: Pick<Check, 'check' | 'code' | 'message' | 'path'>[]
}

export interface FixtureReport {
  result: 'as_expected' | 'different'
  cases: number
  different: number
  /** The operations that at least one case proposes. `percent` is rounded down; null without operations. */
  coverage: { exercised: number; operations: number; percent: number | null; missing: string[] }
  fixtures: { file: string; name: string; cases: CheckedCase[] }[]
}
