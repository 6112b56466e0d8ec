import { z } from 'zod'
import { actionIdSchema, timestampSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { catalogOperationSchema } from '../configuration/catalog.ts'
import { riskLevelSchema } from './proposal-schema.ts'
import { decisionSchema, revisionReferenceSchema } from './verdict.ts'

const countSchema = z.int().min(0).max(limits.review_counted_max)

export const heldCountsSchema = z
  .strictObject({
    asked: countSchema.describe('How many were held, whatever became of them.'),
    waiting: countSchema.describe('Of these, how many still wait.'),
    approved: countSchema,
    rejected: countSchema,
    expired: countSchema.describe('Nobody decided in time.'),
    withdrawn: countSchema.describe('The agent took them back.'),
    edited: countSchema.describe('An edited one took their place.'),
  })
  .meta({ id: 'HeldCounts', description: 'How many actions were held, and what became of them.' })
export type HeldCounts = z.infer<typeof heldCountsSchema>

const historySchema = z
  .strictObject({
    since: timestampSchema.describe(`${limits.review_hours} hours before this answer.`),
    by_key: heldCountsSchema.describe(
      'Of the key that asks: all that was held for it since, this action included.',
    ),
    of_operation: heldCountsSchema.describe('Of these, those of the same operation on the same system.'),
    complete: z
      .boolean()
      .describe(`False where there were ${limits.review_counted_max} or more: the latest are counted.`),
  })
  .describe('What the same key asked for before.')

const sparedSchema = z.strictObject({
  approval_required_at: riskLevelSchema.describe('A higher threshold than the one in force.'),
  this_action: z.boolean().describe('Whether it would allow this action.'),
  by_key: countSchema.describe('How many of `history.by_key` it would not have held.'),
  of_operation: countSchema.describe('How many of `history.of_operation` it would not have held.'),
})

export const reviewSchema = z
  .strictObject({
    action_id: actionIdSchema,
    reviewed: catalogOperationSchema
      .nullable()
      .describe('The entry of the catalog that governed the verdict; null where it has none.'),
    in_force: z
      .strictObject({
        decision: decisionSchema,
        policy: revisionReferenceSchema,
        catalog: revisionReferenceSchema.nullable(),
      })
      .describe('What the rules in force now would decide; the hold stays as it was recorded.'),
    history: historySchema,
    spared: z
      .array(sparedSchema)
      .max(2)
      .describe('What would no longer be asked under each higher threshold.'),
  })
  .meta({
    id: 'Review',
    title: 'Review',
    description: 'What catalog, policy and history say about a held action.',
  })
export type Review = z.infer<typeof reviewSchema>
