import { z } from 'zod'
import { ownHeaderNameSchema } from './header-names.ts'
import { limits } from './limits.ts'

/** Environment variables that settings may name. The required prefix protects the service's own variables. */
export const variableReferenceSchema = z
  .strictObject({ env: z.string().regex(/^ACTUATOR_[A-Z0-9_]{1,100}$/, 'must be ACTUATOR_ and A-Z, 0-9, _') })
  .meta({
    id: 'VariableReference',
    description: 'A secret of the operator, by the name of the variable of the workers that holds it.',
    examples: [{ env: 'ACTUATOR_PAYMENTS_TOKEN' }],
  })

/**
 * The name of a stored secret. It is in lower case, so that it never equals the name of an environment variable.
 */
export const secretNameSchema = z
  .string()
  .max(limits.secret_name_length_max)
  .regex(/^[a-z][a-z0-9_-]*$/, 'must be 1–100 characters of a-z, 0-9, _ and -, the first one a letter')
  .meta({ description: 'Name of a secret of the tenant.', examples: ['payments_token'] })

/** A secret in settings. Settings give the secret's name, never its value. */
export const secretReferenceSchema = z
  .union([variableReferenceSchema, z.strictObject({ secret: secretNameSchema })])
  .meta({
    id: 'SecretReference',
    description:
      'A secret by name, never by value. `env`: a variable of the workers. `secret`: a secret that the tenant has stored for this actuator.',
    examples: [{ env: 'ACTUATOR_PAYMENTS_TOKEN' }, { secret: 'payments_token' }],
  })
export type SecretReference = z.infer<typeof secretReferenceSchema>

/** Returns the name of the variable or stored secret. The two kinds never share a name. */
export function nameOfSecret(reference: SecretReference): string {
  return 'env' in reference ? reference.env : reference.secret
}

export const httpUrlSchema = z
  .string()
  .max(limits.template_length_max)
  .regex(
    /^https?:\/\/(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:\/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?$/,
    'must be an http or https URL',
  )
  .refine(text => URL.canParse(text), { message: 'is not a URL', params: { code: 'invalid_url' } })
  .describe(
    'Where it is, without user, query or fragment. Plain http only to hosts of `SERVICE_EGRESS_ALLOW`.',
  )

const printable = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[ -~]+$/, 'must be printable ASCII')
const identitySchema = z.union([printable(500), secretReferenceSchema])

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
      name: ownHeaderNameSchema,
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
      type: z.literal('aws_sigv4'),
      access_key_id: identitySchema.describe('As it is, or a secret.'),
      secret_access_key: secretReferenceSchema,
      session_token: secretReferenceSchema.optional().describe('Of temporary credentials.'),
      region: printable(100).describe('Such as `eu-central-1`.'),
      service: printable(100).describe(
        'As in the scope of its signatures: `execute-api`, `lambda`, `sqs`, `s3`.',
      ),
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
