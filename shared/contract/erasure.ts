import { z } from 'zod'
import { actionIdSchema, hashSchema } from './identifier.ts'
import { limits } from './limits.ts'
import { actionStatusSchema } from './status.ts'

/** Body of erase (extension): why the content of an action goes. The reason stays. */
export const erasureRequestSchema = z
  .strictObject({
    reason: z.string().min(1).max(limits.note_length_max).describe('Recorded: name nobody in it.'),
  })
  .meta({
    id: 'ErasureRequest',
    title: 'Erasure request',
    description: 'Why the content of an action is erased.',
  })
export type ErasureRequest = z.infer<typeof erasureRequestSchema>

export const erasureResponseSchema = z
  .strictObject({ action_id: actionIdSchema, action_status: actionStatusSchema, audit_root: hashSchema })
  .meta({
    id: 'ErasureResponse',
    title: 'Erasure response',
    description: 'The action, whose events and proofs stand without their content.',
  })
export type ErasureResponse = z.infer<typeof erasureResponseSchema>
