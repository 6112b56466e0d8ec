import { z } from 'zod'
import { timestampSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { principalSchema } from './audit.ts'

/** An approval that counts, of an action that needs several. */
export const countedApprovalSchema = z.strictObject({
  principal: principalSchema,
  name: z.string().nullable(),
  lineage: z.string().describe('Who stands behind the principal: each counts once.'),
  note: z.string().nullable(),
  at: timestampSchema,
})
export type CountedApproval = z.infer<typeof countedApprovalSchema>

/** How far the approvals of an action are that needs several (extension). */
export const approvalsSchema = z
  .strictObject({
    required: z.int().min(2).max(limits.approvals_required_max).describe('Frozen when it was held.'),
    given: z.int().min(0).max(limits.approvals_required_max),
    by: z.array(countedApprovalSchema).describe('In their order.'),
  })
  .describe('Where more than one approval is required: how many there are, and whose.')
export type Approvals = z.infer<typeof approvalsSchema>
