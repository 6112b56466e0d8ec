import { z } from 'zod'
import { headerNameSchema } from '../base/header-names.ts'
import { limits } from '../base/limits.ts'
import { answerRulesSchema, memberPathSchema, rulesOf, statusesSchema, testsOf } from './answer-rules.ts'

const pollSchema = z
  .strictObject({
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
      .describe('Between polls, or longer where `Retry-After` says so; 2000 where not given. Milliseconds.'),
  })
  .describe('Ask until the downstream says that it ended.')

/** Rules for a callback. They may judge only the body, because its status and headers are unauthenticated. */
const calledBackSchema = answerRulesSchema.refine(
  rules =>
    rulesOf(rules).every(
      rule => rule.status === undefined && testsOf(rule).every(({ path }) => path !== undefined),
    ),
  { message: 'judges members of the body alone', params: { code: 'not_of_the_body' } },
)

const callbackSchema = z
  .strictObject({
    done_when: calledBackSchema.describe('Of the body of a callback: it was done.'),
    failed_when: calledBackSchema
      .optional()
      .describe('Of the body of a callback: nothing was done and never will be.'),
  })
  .describe('The downstream calls `{callback_url}`, which the request tells it, when it ended.')

/**
 * The completion of an operation that the downstream accepts at once and ends later
 * (actuators.md#operations-that-end-later).
 */
export const completionSchema = z
  .strictObject({
    statuses: statusesSchema
      .min(1)
      .optional()
      .describe('Statuses of an answer that accepts it; 202 where not given.'),
    poll: pollSchema.optional(),
    callback: callbackSchema.optional(),
    deadline_ms: z
      .int()
      .min(1_000)
      .max(limits.completion_deadline_ms_max)
      .optional()
      .describe('Then its outcome is unknown; an hour where not given. Milliseconds.'),
  })
  .refine(({ poll, callback }) => poll !== undefined || callback !== undefined, {
    message: 'takes poll, callback or both',
    params: { code: 'no_completion' },
  })
  .describe('How an operation ends that the downstream only accepts at first.')
export type Completion = z.infer<typeof completionSchema>

const deadlinePresetMs = 3_600_000

/** Returns how long the downstream may work on an accepted operation, in milliseconds; by default one hour. */
export const deadlineOf = ({ deadline_ms = deadlinePresetMs }: Pick<Completion, 'deadline_ms'>): number =>
  deadline_ms

export interface Dispatched {
  url: string | null
  interval_ms: number
  deadline_ms: number
}
