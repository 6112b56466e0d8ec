import { z } from 'zod'
import { labelSchema } from '../base/identifier.ts'
import { memberRoles } from '../role-schema.ts'

/** The name of an issuer. Settings, URL paths and the redirect URI of its client contain it. */
export const issuerNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 of a-z, 0-9 and -')
  .meta({ id: 'IssuerName', description: 'Name of an issuer in the settings.', examples: ['example'] })

const secretPlaceSchema = z.union([
  z.strictObject({ env: z.string().regex(/^OIDC_[A-Z0-9_]{1,100}$/, 'must begin with OIDC_') }),
  z.strictObject({ file: z.string().min(1).max(4_000) }),
])
export type SecretPlace = z.infer<typeof secretPlaceSchema>

/** Claims that cannot select a group, because they describe the token, the log-in or one person. */
const claimsOfTokens: readonly string[] = [
  'iss',
  'sub',
  'aud',
  'azp',
  'exp',
  'iat',
  'nbf',
  'jti',
  'nonce',
  'auth_time',
  'acr',
  'amr',
  'sid',
  'at_hash',
  'c_hash',
  'scope',
]

const groupsClaimSchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/)
  .refine(name => !claimsOfTokens.includes(name), 'is a claim of the token, and of no group')

/** The group that people with this value of the claim join, in one organization. No claim gives a role. */
const groupTargetSchema = z
  .string()
  .regex(/^org_[a-z2-7]{16}\/[a-z0-9][a-z0-9-]{0,59}$/, 'must be <organization id>/<group>')
  .refine(
    target => !memberRoles.some(role => target.endsWith(`/${role.replace('_', '-')}`)),
    'a claim gives groups, never roles',
  )

const clientMembers = {
  title: labelSchema,
  issuer: z
    .string()
    .max(500)
    .refine(isIssuerUrl, 'must be https, or http on loopback, without ? # and login'),
  client_id: z.string().min(1).max(400),
  client_secret: secretPlaceSchema.optional(),
  max_age_s: z.int().min(0).max(31_536_000).nullable().default(43_200),
  acr_values: z
    .array(z.string().regex(/^[\x21-\x7e]{1,200}$/))
    .max(20)
    .default([]),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/))
    .max(10)
    .default([]),
}

/** An OpenID Connect issuer as the operator of the service configures it (specification.md#sign-in-elsewhere). */
export const issuerSchema = z
  .strictObject({
    ...clientMembers,
    sign_up: z.boolean().default(true),
    groups_claim: groupsClaimSchema.nullable().default(null),
    groups: z.record(z.string().min(1).max(500), groupTargetSchema).default({}),
  })
  .refine(
    ({ groups_claim, groups }) => groups_claim !== null || Object.keys(groups).length === 0,
    'groups need a groups_claim',
  )
export type IssuerSetting = z.output<typeof issuerSchema>

/**
 * An issuer at which operators sign in (specification.md#operators). Its claims never make an account an operator.
 */
export const operatorIssuerSchema = z.strictObject(clientMembers)
export type OperatorIssuerSetting = z.output<typeof operatorIssuerSchema>

export type SignInSetting = OperatorIssuerSetting & Partial<Pick<IssuerSetting, 'groups_claim'>>

/** Returns true for plain HTTP on this machine. TLS is not required there. */
export function isLoopbackUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(hostname)
}

function isIssuerUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false
  const url = new URL(text)
  const isOwn = url.username === '' && url.password === ''
  return isOwn && (url.protocol === 'https:' || isLoopbackUrl(url))
}
