import { z } from 'zod'

/** Names of variables that may be referred to: their own prefix keeps the service's own variables out of reach. */
export const secretReferenceSchema = z
  .strictObject({ env: z.string().regex(/^ACTUATOR_[A-Z0-9_]{1,100}$/, 'must be ACTUATOR_ and A-Z, 0-9, _') })
  .meta({
    id: 'SecretReference',
    description:
      'A secret by the name of the environment variable of the workers that holds it; never stored.',
    examples: [{ env: 'ACTUATOR_PAYMENTS_TOKEN' }],
  })
export type SecretReference = z.infer<typeof secretReferenceSchema>
