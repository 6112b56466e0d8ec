import { z } from 'zod'
import { limits } from './limits.ts'

export const headerNameSchema = z
  .string()
  .max(100)
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be a header name')

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
