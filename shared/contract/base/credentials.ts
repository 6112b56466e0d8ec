import { z } from 'zod'
import { limits } from './limits.ts'

/** Names of variables that may be referred to: their own prefix keeps the service's own variables out of reach. */
export const variableReferenceSchema = z
  .strictObject({ env: z.string().regex(/^ACTUATOR_[A-Z0-9_]{1,100}$/, 'must be ACTUATOR_ and A-Z, 0-9, _') })
  .meta({
    id: 'VariableReference',
    description: 'A secret of the operator, by the name of the variable of the workers that holds it.',
    examples: [{ env: 'ACTUATOR_PAYMENTS_TOKEN' }],
  })

/** Small letters: such a name is never that of a variable. */
export const secretNameSchema = z
  .string()
  .max(limits.secret_name_length_max)
  .regex(/^[a-z][a-z0-9_-]*$/, 'must be 1–100 characters of a-z, 0-9, _ and -, the first one a letter')
  .meta({ description: 'Name of a secret of the tenant.', examples: ['payments_token'] })

/** A secret where settings need one: always a name, never a value. */
export const secretReferenceSchema = z
  .union([variableReferenceSchema, z.strictObject({ secret: secretNameSchema })])
  .meta({
    id: 'SecretReference',
    description:
      'A secret by name, never by value. `env`: a variable of the workers. `secret`: a secret that the tenant has stored for this actuator.',
    examples: [{ env: 'ACTUATOR_PAYMENTS_TOKEN' }, { secret: 'payments_token' }],
  })
export type SecretReference = z.infer<typeof secretReferenceSchema>

/** The name under which its value is found: variables and stored secrets never share one. */
export function nameOfSecret(reference: SecretReference): string {
  return 'env' in reference ? reference.env : reference.secret
}
