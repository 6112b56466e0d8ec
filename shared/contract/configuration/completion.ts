import { z } from 'zod'
import { headerNameSchema } from '../base/http-auth.ts'
import { limits } from '../base/limits.ts'
import { answerRulesSchema, memberPathSchema, statusesSchema } from './answer-rules.ts'

/** How an operation ends that a downstream only accepts at first (actuators.md#operations-that-end-later). */
export const completionSchema = z
  .strictObject({
    poll: z
      .strictObject({
        statuses: statusesSchema
          .min(1)
          .optional()
          .describe('Statuses of an answer that accepts it; 202 where not given.'),
        url: z
          .union([z.strictObject({ header: headerNameSchema }), z.strictObject({ path: memberPathSchema })])
          .optional()
          .describe(
            'Where the answer says what is asked: a header, or a member of the body; the header `Location` where not given. Always of the host of `base_url`.',
          ),
        done_when: answerRulesSchema.describe('Of the answer to a poll: it was done.'),
        failed_when: answerRulesSchema
          .optional()
          .describe('Of the answer to a poll: nothing was done and never will be.'),
        interval_ms: z
          .int()
          .min(100)
          .max(limits.completion_interval_ms_max)
          .optional()
          .describe(
            'Between polls, or longer where `Retry-After` says so; 2000 where not given. Milliseconds.',
          ),
        deadline_ms: z
          .int()
          .min(1_000)
          .max(limits.completion_deadline_ms_max)
          .optional()
          .describe('Then its outcome is unknown; an hour where not given. Milliseconds.'),
      })
      .describe('Ask until the downstream says that it ended.'),
  })
  .describe('How an operation ends that the downstream only accepts at first.')
export type Completion = z.infer<typeof completionSchema>

/** An operation that the downstream accepted, as it is kept until it ends. */
export interface Dispatched {
  url: string
  interval_ms: number
  deadline_ms: number
}
