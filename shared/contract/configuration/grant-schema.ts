import { z } from 'zod'
import { proposalSchema } from '../action/proposal-schema.ts'
import { hashSchema, instantSchema, timestampSchema, visibleText } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { grantBounds, grantClauseSchema } from './grant-clause.ts'
import { authorSchema } from './tenant.ts'

const noteSchema = visibleText(z.string().min(1).max(limits.change_note_length_max))

export const grantRequestSchema = z
  .strictObject({
    ...grantBounds,
    ends_at: instantSchema.describe('When it ends; within 30 days.'),
    note: noteSchema.describe('Why; it stands in the audit.'),
  })
  .meta({
    id: 'GrantRequest',
    title: 'Grant request',
    description:
      'What an agent may do without a person: which operation, within what, how often, until when.',
  })
export type GrantRequest = z.infer<typeof grantRequestSchema>

export const grantStatusSchema = z
  .enum(['active', 'resting', 'used_up', 'ended', 'revoked'])
  .describe('`resting`: policy or catalog is another one than it was proved under.')
export type GrantStatus = z.infer<typeof grantStatusSchema>

export const grantSchema = grantClauseSchema
  .extend({
    status: grantStatusSchema,
    uses: z.int().min(0).describe('How many proposals it has allowed.'),
    clause_hash: hashSchema.describe('What verdicts and events know it by.'),
    note: z.string().describe('Why it was made.'),
    author: authorSchema,
    created_at: timestampSchema,
    revoked_at: timestampSchema.nullable().describe('Null while nobody revoked it.'),
  })
  .meta({ id: 'BoundedGrant', title: 'Grant', description: 'A grant of a tenant, as it is now.' })
export type BoundedGrant = z.infer<typeof grantSchema>

export const madeGrantSchema = grantSchema
  .extend({
    example: proposalSchema.describe('A proposal that was held before, and that the grant allows.'),
  })
  .meta({ id: 'MadeGrant', title: 'Made grant', description: 'The grant, and what it allows for example.' })
export type MadeGrant = z.infer<typeof madeGrantSchema>

export const grantListSchema = z
  .strictObject({
    grants: z.array(grantSchema).describe('Newest first; the latest of them where there are many.'),
  })
  .meta({ id: 'GrantList', title: 'Grants', description: 'The grants of a tenant.' })
export type GrantList = z.infer<typeof grantListSchema>

export const grantRevocationSchema = z
  .strictObject({ reason: noteSchema.describe('Why; it stands in the audit.') })
  .meta({ id: 'GrantRevocation', title: 'Revocation of a grant', description: 'Why a grant is revoked.' })
export type GrantRevocation = z.infer<typeof grantRevocationSchema>
