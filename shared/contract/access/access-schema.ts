import { z } from 'zod'
import { identifierSchema } from '../base/identifier.ts'

/** The access to an operation. The gate's own rules decide it (specification.md#what-is-allowed). */
export const operationAccessSchema = z
  .strictObject({
    answer: z
      .enum(['allowed', 'held', 'denied', 'open'])
      .describe(
        '`allowed`: a call that claims low risk runs alone, and one that does is known. `held`: every call that is accepted waits for a person. `denied`: no call is accepted. `open`: that was not settled beforehand.',
      ),
    code: z
      .string()
      .nullable()
      .describe(
        'Why it is held, denied or open: the code of the check of the gate, `no_parameters` where no parameters are accepted, `not_proved` where the proof ended early.',
      ),
    review_route: z.string().nullable().describe('Who decides what is held; null where nothing is.'),
    message: z.string().describe('The same in words, as every page, terminal and tool list says it.'),
    unavailable: z
      .strictObject({ code: z.enum(['paused', 'not_registered']), message: z.string() })
      .nullable()
      .describe('Why nothing executes now what is accepted; null where it is executed.'),
  })
  .meta({
    id: 'OperationAccess',
    title: 'Access to an operation',
    description: 'Whether proposals for an operation are allowed, held or denied, and why.',
  })
export type OperationAccess = z.infer<typeof operationAccessSchema>

export const listedAccessSchema = operationAccessSchema.extend({
  system: identifierSchema,
  operation: identifierSchema
    .nullable()
    .describe('Null: any other operation of the system, where the policy lists none.'),
})
export type ListedAccess = z.infer<typeof listedAccessSchema>
