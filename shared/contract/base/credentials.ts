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

/** What proves to a downstream over HTTP who sends a request. */
export const authSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('bearer'), token: secretReferenceSchema }),
    z.strictObject({ type: z.literal('hmac'), key: secretReferenceSchema }),
  ])
  .describe(
    '`bearer`: `Authorization: Bearer …`. `hmac`: `webhook-id`, `webhook-timestamp` and `webhook-signature` of the Standard Webhooks specification, HMAC-SHA-256 over id, time and body.',
  )
export type HttpAuth = z.infer<typeof authSchema>
