import { z } from 'zod'
import { actionIdSchema, hashSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { decisionResponseSchema } from './action.ts'
import { parametersSchema } from './proposal-schema.ts'

/** Body of edit (extension): other parameters for the same operation of the same system. */
export const editRequestSchema = z
  .strictObject({
    parameters: parametersSchema.describe('All parameters, as they are to be sent.'),
    proposal_hash: hashSchema.describe(
      'What was edited: where the action holds another proposal, nothing happens.',
    ),
    note: z.string().max(limits.note_length_max).optional().describe('Recorded with both actions.'),
  })
  .meta({
    id: 'EditRequest',
    title: 'Edit request',
    description: 'Other parameters for a held action, approved by whoever sends them.',
  })
export type EditRequest = z.infer<typeof editRequestSchema>

/** Where the new action stands. */
export const editResponseSchema = decisionResponseSchema
  .extend({ supersedes: actionIdSchema.describe('The action that was edited; it ended as denied.') })
  .meta({
    id: 'EditResponse',
    title: 'Edit response',
    description: 'The action that takes the place of the edited one.',
  })
export type EditResponse = z.infer<typeof editResponseSchema>
