import { z } from 'zod'

/** Action status values (specification.md#states). */
export const actionStatuses = [
  'received',
  'allowed',
  'pending_approval',
  'approved',
  'execution_pending',
  'executing',
  'denied',
  'executed',
  'execution_failed',
  'outcome_unknown',
] as const
export const actionStatusSchema = z.enum(actionStatuses).meta({
  id: 'ActionStatus',
  description:
    'Where an action stands. `executed`, `denied` and `execution_failed` are final; after `outcome_unknown` automation stops.',
})
export type ActionStatus = z.infer<typeof actionStatusSchema>
