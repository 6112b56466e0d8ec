import { z } from 'zod'
import { warningsSchema } from '../base/errors.ts'
import { secretNameSchema } from '../base/http-auth.ts'
import { identifierSchema, tenantIdSchema, timestampSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { authorSchema } from './tenant.ts'

const placesSchema = z
  .array(z.string().max(limits.template_length_max))
  .max(100)
  .meta({
    description: 'Scheme, host and port of every address that the actuator is registered with, by name.',
    examples: [['https://api.payments.example']],
  })

const valueSchema = z
  .string()
  .min(limits.secret_length_min)
  .max(limits.secret_length_max)
  .refine(text => text.trim() === text && !text.includes('\0'), {
    message: 'must not begin or end with white space, nor hold U+0000',
    params: { code: 'white_space' },
  })
  .meta({
    description: 'The value. It is sealed at once, and no request reads it back.',
    examples: ['THE-VALUE-IS-NEVER-SHOWN'],
  })

export const secretRequestSchema = z
  .strictObject({
    actuator: identifierSchema.describe('The one actuator that may use it.'),
    value: valueSchema,
    bound_to: placesSchema
      .optional()
      .describe('Where it may go; refused where the actuator is registered for other places.'),
  })
  .meta({ id: 'SecretRequest', title: 'Secret request', description: 'A secret that an actuator is to use.' })
export type SecretRequest = z.infer<typeof secretRequestSchema>

export const secretConfirmationSchema = z
  .strictObject({ version: z.int().min(1), bound_to: placesSchema })
  .meta({
    id: 'SecretConfirmation',
    title: 'Secret confirmation',
    description: 'The version that was looked at, and the places where it may go from now on.',
  })
export type SecretConfirmation = z.infer<typeof secretConfirmationSchema>

export const secretMetadataSchema = z
  .strictObject({
    tenant_id: tenantIdSchema,
    name: secretNameSchema,
    version: z.int().min(1).describe('One more with each value.'),
    actuator: identifierSchema,
    bound_to: placesSchema,
    key_id: z.string().describe('Of the key of the workers that it is sealed to.'),
    written_by: authorSchema,
    written_at: timestampSchema,
    confirmed_by: authorSchema.nullable().describe('Who confirmed other places since it was written.'),
    confirmed_at: timestampSchema.nullable(),
    first_used_at: timestampSchema.nullable().describe('When a worker first called with this version.'),
  })
  .meta({ id: 'Secret', title: 'Secret', description: 'A secret of a tenant: never its value.' })
export type SecretMetadata = z.infer<typeof secretMetadataSchema>

export const secretStateSchema = z.enum(['ready', 'missing', 'unconfirmed', 'unreadable']).meta({
  id: 'SecretState',
  description:
    'Whether calls have it: `missing` where nobody set it, `unconfirmed` where the actuator is registered for other places than it is bound to, `unreadable` where no live worker has the key that opens it.',
})
export type SecretState = z.infer<typeof secretStateSchema>

export const secretNeedSchema = z
  .strictObject({
    actuator: identifierSchema,
    path: z.string().describe('Where in its settings.'),
    name: z.string().describe('Of a secret of the tenant, or of a variable of the workers.'),
    source: z.enum(['tenant', 'workers']),
    state: secretStateSchema,
    message: z.string().nullable().describe('What is wrong and the way out; null where nothing is.'),
    places: placesSchema,
  })
  .meta({ id: 'SecretNeed', description: 'A secret that a registration names.' })
export type SecretNeed = z.infer<typeof secretNeedSchema>

export const secretListSchema = z
  .strictObject({
    secrets: z.array(secretMetadataSchema),
    needs: z.array(secretNeedSchema).describe('What the registered actuators name.'),
    can_write: z.boolean().describe('Whether the deployment has a key to seal secrets to.'),
  })
  .meta({
    id: 'SecretList',
    title: 'Secrets',
    description: 'Secrets of a tenant, and what its actuators need.',
  })
export type SecretList = z.infer<typeof secretListSchema>

export const secretChangedSchema = z
  .strictObject({ secret: secretMetadataSchema, warnings: warningsSchema })
  .meta({ id: 'SecretChanged', title: 'Changed secret', description: 'A secret as it is now.' })
export type SecretChanged = z.infer<typeof secretChangedSchema>
