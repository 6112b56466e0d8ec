import { z } from 'zod'
import { identifierSchema, timestampSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { authorSchema } from './tenant.ts'

const frozenKeySchema = z.string().min(1).max(limits.identifier_length_max)
const selector = {
  system: identifierSchema.nullable().default(null).describe('Only this system; null: every one.'),
  operation: identifierSchema.nullable().default(null).describe('Only this operation; null: every one.'),
  key_id: frozenKeySchema
    .nullable()
    .default(null)
    .describe('Only what this agent key proposed; null: what anyone did.'),
}
const selectorSchema = z.strictObject(selector)

export type FreezeSelector = z.infer<typeof selectorSchema>

/** The body of freeze and unfreeze. An empty selector covers the whole tenant. */
export const freezeRequestSchema = z
  .strictObject({
    reason: z.string().min(1).max(limits.change_note_length_max).describe('Why; it stands in the audit.'),
    ...selector,
  })
  .meta({
    id: 'FreezeRequest',
    title: 'Freeze request',
    description:
      'What is to be frozen or released: all that the selector matches, a whole tenant without one.',
  })
export type FreezeRequest = z.infer<typeof freezeRequestSchema>

/** The body of pause and resume. Without a system, the pause covers the whole tenant. */
export const pauseRequestSchema = z
  .strictObject({
    reason: z.string().min(1).max(limits.change_note_length_max).describe('Why; it stands in the audit.'),
    system: selector.system,
  })
  .meta({
    id: 'PauseRequest',
    title: 'Pause request',
    description: 'What is to be paused or resumed: the jobs of one actuator, or of the whole tenant.',
  })
export type PauseRequest = z.infer<typeof pauseRequestSchema>

/** The kind of stop: a freeze stops decisions, approvals and jobs; a pause stops only jobs. */
export const freezeEffectSchema = z.enum(['freeze', 'pause'])
export type FreezeEffect = z.infer<typeof freezeEffectSchema>

export const freezeSchema = z
  .strictObject({
    effect: freezeEffectSchema.describe('`freeze` stops decisions, approvals and jobs; `pause` jobs alone.'),
    system: identifierSchema.nullable(),
    operation: identifierSchema.nullable(),
    key_id: frozenKeySchema.nullable(),
    reason: z.string(),
    author: authorSchema,
    created_at: timestampSchema,
  })
  .meta({ id: 'Freeze', description: 'What is frozen or paused, why, since when and by whom.' })

export const freezeStateSchema = z
  .strictObject({
    freezes: z.array(freezeSchema).describe('Oldest first; empty when nothing is frozen or paused.'),
  })
  .meta({ id: 'FreezeState', title: 'Freeze state', description: 'What is frozen or paused now.' })
export type FreezeState = z.infer<typeof freezeStateSchema>
