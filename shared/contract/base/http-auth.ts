import { z } from 'zod'
import { secretReferenceSchema } from './credentials.ts'
import { headerNameSchema, httpUrlSchema } from './http-names.ts'

const printable = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[ -~]+$/, 'must be printable ASCII')
const identitySchema = z.union([printable(500), secretReferenceSchema])

/** What proves to a downstream over HTTP who sends a request. */
export const authSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('bearer'), token: secretReferenceSchema }),
    z.strictObject({ type: z.literal('hmac'), key: secretReferenceSchema }),
    z.strictObject({
      type: z.literal('basic'),
      username: identitySchema.describe('As it is, or a secret.'),
      password: secretReferenceSchema,
    }),
    z.strictObject({
      type: z.literal('header'),
      name: headerNameSchema,
      value: secretReferenceSchema,
      prefix: printable(50).optional().describe('Before the secret, such as `Token `.'),
    }),
    z.strictObject({ type: z.literal('query'), name: printable(100), value: secretReferenceSchema }),
    z.strictObject({
      type: z.literal('oauth2_client_credentials'),
      token_url: httpUrlSchema.describe('The token endpoint; the egress guard checks it as any address.'),
      client_id: identitySchema,
      client_secret: secretReferenceSchema,
      client_authentication: z
        .enum(['basic', 'post'])
        .optional()
        .describe('How the client proves who it is: `basic` where not given, or `post` in the body.'),
      scope: printable(1_000).optional().describe('Scopes, with spaces between them.'),
      audience: printable(1_000).optional(),
      resource: printable(1_000).optional(),
    }),
    z.strictObject({
      type: z.literal('mtls'),
      certificate: secretReferenceSchema.describe('Client certificate with its chain, in PEM.'),
      key: secretReferenceSchema.describe('Its private key, in PEM.'),
      authority: secretReferenceSchema
        .optional()
        .describe('Who vouches for the server, in PEM; the authorities of the workers where not given.'),
    }),
  ])
  .describe('What proves who sends a request: one of the forms below.')
export type HttpAuth = z.infer<typeof authSchema>
export type OAuthClient = Extract<HttpAuth, { type: 'oauth2_client_credentials' }>
