import { z } from 'zod'
import { labelSchema } from '../base/identifier.ts'

/** What an issuer is called in settings, in paths and in the redirect URI of its client. */
export const issuerNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 of a-z, 0-9 and -')
  .meta({ id: 'IssuerName', description: 'Name of an issuer in the settings.', examples: ['example'] })

/** Where the secret of a client is: in a variable of the environment, or in a file that is read at each use. */
const secretPlaceSchema = z.union([
  z.strictObject({ env: z.string().regex(/^OIDC_[A-Z0-9_]{1,100}$/, 'must begin with OIDC_') }),
  z.strictObject({ file: z.string().min(1).max(4_000) }),
])
export type SecretPlace = z.infer<typeof secretPlaceSchema>

/** An issuer of OpenID Connect as whoever runs the service configures it (specification.md#sign-in-elsewhere). */
export const issuerSchema = z.strictObject({
  title: labelSchema,
  issuer: z
    .string()
    .max(500)
    .refine(isIssuerUrl, 'must be https, or http on loopback, without ? # and login'),
  client_id: z.string().min(1).max(400),
  client_secret: secretPlaceSchema.optional(),
  sign_up: z.boolean().default(true),
  max_age_s: z.int().min(0).max(31_536_000).nullable().default(43_200),
  acr_values: z
    .array(z.string().regex(/^[\x21-\x7e]{1,200}$/))
    .max(20)
    .default([]),
})
export type IssuerSetting = z.output<typeof issuerSchema>

/** Whether an address is on this machine, where no TLS is asked for. */
export function isLoopbackUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(hostname)
}

function isIssuerUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false
  const url = new URL(text)
  const isOwn = url.username === '' && url.password === ''
  return isOwn && (url.protocol === 'https:' || isLoopbackUrl(url))
}
