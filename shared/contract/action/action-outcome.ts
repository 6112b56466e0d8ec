import { z } from 'zod'
import { jsonValueSchema } from '../base/json.ts'
import { principalSchema } from './audit.ts'
import { actionStatusSchema } from './status.ts'

/** How an action ended, for whoever proposed it: the same in its verdict and in its trace. */
export const actionOutcomeSchema = z
  .strictObject({
    status: actionStatusSchema,
    code: z
      .string()
      .describe(
        '`executed`, `rejected`, `approval_expired`, `withdrawn`, `resolved_by_operator`, a code of `blocking_reasons`, or that of the last error, such as `http_422` or `request_changed`.',
      ),
    message: z
      .string()
      .describe('Why, for a reader: the note of whoever decided, or what the downstream said.'),
    by: principalSchema.extend({ name: z.string().nullable() }).describe('Who ended it.'),
    body: jsonValueSchema
      .optional()
      .describe(
        'What the downstream answered, where it failed with JSON of at most 4 kB; of success see `result`.',
      ),
    try_again: z
      .boolean()
      .describe(
        'Whether the same may end otherwise under a new `proposal_id`; false also where it may have happened.',
      ),
  })
  .meta({ id: 'ActionOutcome', description: 'How an action ended, why, and whether a new try makes sense.' })
export type ActionOutcome = z.infer<typeof actionOutcomeSchema>
