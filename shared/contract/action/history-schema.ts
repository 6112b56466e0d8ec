import { z } from 'zod'
import { actionIdSchema, instantSchema, timestampSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { listLimitSchema, nextCursorSchema } from '../endpoints/paging.ts'
import { actionSummarySchema } from './action.ts'
import { actionStatusSchema } from './action-status.ts'
import { inboxFilters } from './inbox-schema.ts'

const { agent_id, system, operation, risk, search } = inboxFilters

export const historyQuerySchema = z.strictObject({
  status: actionStatusSchema.optional().describe('In this status.'),
  ...{ agent_id, system, operation, risk },
  search: search.describe(
    'Words that all stand in summary, parameters, agent, system or operation, in any case; one of eight characters ' +
      'or more also in an id. `amount:250` finds a parameter with its value.',
  ),
  from: instantSchema.optional().describe('Made at this moment or later.'),
  to: instantSchema.optional().describe('Made before this moment.'),
  limit: listLimitSchema,
  cursor: actionIdSchema.optional().describe('`next_cursor` of the page before.'),
})
export type HistoryQuery = z.output<typeof historyQuerySchema>

export const historyPageSchema = z
  .strictObject({
    actions: z.array(actionSummarySchema).describe('Newest first.'),
    looked: z
      .int()
      .min(0)
      .max(limits.history_looked_max)
      .describe('How many actions were looked at for this page.'),
    looked_to: timestampSchema
      .nullable()
      .describe('When the oldest of them was made; null where there was none.'),
    next_cursor: nextCursorSchema,
  })
  .meta({
    id: 'HistoryPage',
    title: 'History page',
    description:
      'Actions that were found, and how far back was looked. A page may be empty where more follow.',
  })
export type HistoryPage = z.infer<typeof historyPageSchema>
