import { z } from 'zod'
import { limits } from '../base/limits.ts'
import { standingSchema } from './action.ts'

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

export const erasureResponseSchema = standingSchema.meta({
  id: 'ErasureResponse',
  title: 'Erasure response',
  description: 'The action, whose events and proofs stand without their content.',
})
export type ErasureResponse = z.infer<typeof erasureResponseSchema>
