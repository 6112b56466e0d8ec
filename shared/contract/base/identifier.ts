import { z } from 'zod'
import { limits } from './limits.ts'

/**
 * An identifier of 1–200 characters of `A-Za-z0-9._:@/-`, the first one alphanumeric (specification.md#proposals).
 */
export const identifierSchema = z
  .string()
  .max(limits.identifier_length_max)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:@/-]*$/,
    'must be 1–200 characters of A-Za-z0-9._:@/- and begin with a letter or digit',
  )
  .meta({
    id: 'Identifier',
    description: '1–200 characters of `A-Za-z0-9._:@/-`, the first one a letter or digit.',
    examples: ['payments'],
  })

/** A tenant id of 1–100 characters of `A-Za-z0-9._-`, the first one alphanumeric, because URL paths contain it. */
export const tenantIdSchema = z
  .string()
  .max(limits.tenant_id_length_max)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    'must be 1–100 characters of A-Za-z0-9._- and begin with a letter or digit',
  )
  .meta({
    id: 'TenantId',
    description: 'Tenant identifier: 1–100 characters of `A-Za-z0-9._-`, the first one a letter or digit.',
    examples: ['web-shop'],
  })

export const actionIdSchema = z
  .string()
  .regex(/^act_[0-9a-z]{36}$/, 'must be an action id')
  .meta({
    id: 'ActionId',
    description: 'Action identifier, ordered by time.',
    examples: ['act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf'],
  })

/** ISO 8601 UTC with milliseconds (specification.md#identifiers-keys-and-time). */
export const timestampSchema = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({
    id: 'Timestamp',
    description: 'ISO 8601, UTC, milliseconds.',
    examples: ['2026-11-21T01:04:57.853Z'],
  })

/** An instant between 1970 and 9998 with any offset. Every clock and database can hold this range. */
export const instantSchema = z.iso
  .datetime({ offset: true, abort: true })
  .refine(
    text => {
      const year = new Date(text).getUTCFullYear()
      return year >= 1970 && year <= 9998
    },
    { message: 'must be of the years 1970 to 9998', params: { code: 'year_out_of_range' } },
  )
  .meta({
    description: 'ISO 8601 with any offset, of the years 1970 to 9998.',
    examples: ['2027-01-31T23:00:00+01:00'],
  })

export const hashSchema = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/)
  .meta({
    id: 'Hash',
    description: '`sha256:` and 64 lower-case hexadecimal digits.',
    examples: ['sha256:4f71e4df0de3c13d834e7427eafe5114e91289417b57c8d4935fb4c4b3da49f0'],
  })

/**
 * Matches characters that are invisible or change how the text around them looks: default-ignorable, control,
 * format, private and unassigned characters, line separators, blanks, and every space but U+0020.
 */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u2800]|(?! )\p{Zs}/u

export const unseenIssue = {
  message: 'holds a character that nobody sees, or that changes how the rest is read',
  params: { code: 'invisible_character' },
}

export function isVisible(text: string): boolean {
  return !unseen.test(text)
}

/** Restricts a display name to visible characters, so that a name cannot hide a part of itself. */
export function visibleText<Schema extends z.ZodString>(schema: Schema): Schema {
  return schema.refine(isVisible, unseenIssue)
}

export const labelSchema = visibleText(
  z.string().regex(/\S/, 'must not be blank').max(limits.label_length_max),
).meta({ examples: ['Example Shop'] })
