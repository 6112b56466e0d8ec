import { z } from 'zod'
import { identifierSchema, timestampSchema } from '../base/identifier.ts'

const countSchema = z.int().min(0)

const endedFields = {
  executed: countSchema,
  failed: countSchema,
  unknown: countSchema,
}

const latencySchema = z
  .strictObject({
    calls: countSchema.describe('Last calls of actions, the newest ones.'),
    p50_ms: z.number().min(0),
    p95_ms: z.number().min(0),
  })
  .nullable()
  .describe('From the record of a call to that of its outcome; null where nothing was called.')

export const toolHealthSchema = z
  .strictObject({
    system: identifierSchema,
    since: timestampSchema.describe('Actions that were proposed from then on.'),
    until: timestampSchema,
    cut: z.boolean().describe('Whether `since` is later than a day ago, since there were too many actions.'),
    ...endedFields,
    latency: latencySchema,
    hours: z
      .array(z.strictObject({ at: timestampSchema, ...endedFields }))
      .describe('By the hour in which they ended, the oldest first; hours without any are left out.'),
    operations: z
      .array(z.strictObject({ operation: identifierSchema, ...endedFields, latency: latencySchema }))
      .describe('The busiest first.'),
    failures: z
      .array(
        z.strictObject({
          operation: identifierSchema,
          code: z.string().describe('Of the last error.'),
          outcome: z.enum(['failed', 'unknown']),
          count: countSchema,
        }),
      )
      .describe('The most frequent first.'),
    waiting: z
      .array(
        z.strictObject({
          code: z.string().nullable().describe('Of the last try; null where there was none.'),
          count: countSchema,
        }),
      )
      .describe('Jobs that are to be called yet, the first of them, by why they wait.'),
  })
  .meta({
    id: 'ToolHealth',
    title: 'Tool health',
    description: 'What came of the calls of one system in the last day.',
  })
export type ToolHealth = z.infer<typeof toolHealthSchema>
