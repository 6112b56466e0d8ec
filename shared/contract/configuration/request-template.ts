import { z } from 'zod'
import { secretReferenceSchema } from '../base/credentials.ts'
import { headerNameSchema } from '../base/http-names.ts'
import type { JsonValue } from '../base/json.ts'
import { limits } from '../base/limits.ts'

const placeholder =
  '\\{(?:parameters(?:\\.[A-Za-z0-9_$-]{1,100}){1,16}|idempotency_key|action_id|tenant_id|operation|not_after)\\}'
export const notATemplate = 'holds a brace that is not one of the placeholders'
export const pathTemplate = new RegExp(`^/(?:[A-Za-z0-9._~!$&'()*+,;=:@%/-]|${placeholder})*$`)
const textTemplate = new RegExp(`^(?:[ -z|~]|${placeholder})*$`)
const bodyText = new RegExp(`^(?:[^{}]|${placeholder})*$`, 'u')

export const placeholders =
  'Placeholders: `{parameters.a.b}`, `{idempotency_key}`, `{action_id}`, `{tenant_id}`, `{operation}`, `{not_after}`.'
export const templateSchema = z.string().max(limits.template_length_max).regex(textTemplate, notATemplate)
export const headersSchema = z
  .record(headerNameSchema, z.union([templateSchema, secretReferenceSchema]))
  .describe(`Header values: templates in printable ASCII, or secrets. ${placeholders}`)

export function isBodyTemplate(value: JsonValue): boolean {
  if (typeof value === 'string') return bodyText.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(isBodyTemplate)
}
