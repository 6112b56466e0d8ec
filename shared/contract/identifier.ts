import { z } from 'zod'
import { limits } from './limits.ts'

/** 1–200 characters of `A-Za-z0-9._:@/-`, the first one alphanumeric (contract section 3). */
export const identifierSchema = z
  .string()
  .max(limits.identifier_length_max)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:@/-]*$/,
    'must be 1–200 characters of A-Za-z0-9._:@/- and begin with a letter or digit',
  )

/** 1–100 characters of `A-Za-z0-9._-`, the first one alphanumeric: it stands in paths. */
export const tenantIdSchema = z
  .string()
  .max(limits.tenant_id_length_max)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    'must be 1–100 characters of A-Za-z0-9._- and begin with a letter or digit',
  )

export const actionIdSchema = z.string().regex(/^act_[0-9a-z]{36}$/, 'must be an action id')

/** ISO 8601 UTC with milliseconds (contract section 2). */
export const timestampSchema = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** `sha256:` and 64 lower-case hexadecimal digits. */
export const hashSchema = z.string().regex(/^sha256:[0-9a-f]{64}$/)
