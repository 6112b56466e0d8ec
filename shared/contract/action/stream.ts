import { z } from 'zod'
import { actionIdSchema, timestampSchema } from '../base/identifier.ts'
import { eventKindSchema, principalSchema } from './audit.ts'
import { actionStatusSchema } from './status.ts'

/**
 * `data` of an event of the stream: a leaf of the tenant's log was taken up. The event's id is the index of the leaf, its
 * audit sequence, so that `Last-Event-ID` continues without a gap. Contents are read from their endpoints.
 */
export const streamedLeafSchema = z
  .strictObject({
    index: z.int().min(0).describe('Place in the log of the tenant; also the id of the event.'),
    stream: z.enum(['action', 'config']).describe('What it belongs to.'),
    action_id: actionIdSchema.nullable().describe('Null for the configuration.'),
    kind: eventKindSchema,
    status: actionStatusSchema.nullable().describe('The status the event led to, where it changed it.'),
    at: timestampSchema,
    principal: principalSchema,
  })
  .meta({
    id: 'StreamedLeaf',
    title: 'Streamed leaf',
    description: 'An audit event as the live stream names it, without its content.',
  })
export type StreamedLeaf = z.infer<typeof streamedLeafSchema>
