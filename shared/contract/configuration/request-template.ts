import { z } from 'zod'
import { writtenHeaders } from '../base/header-names.ts'
import { secretReferenceSchema } from '../base/http-auth.ts'
import { type JsonValue, jsonValueSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'

const parameter = 'parameters(?:\\.[A-Za-z0-9_$-]{1,100}){1,16}'
const placeholder = `\\{(?:${parameter}|idempotency_key|action_id|tenant_id|operation|not_after|callback_url)\\}`
const brace = '\\{\\{|\\}\\}'
const notATemplate = 'holds a brace that is not one of the placeholders; a brace itself is written twice'
const pathTemplate = new RegExp(`^/(?:[A-Za-z0-9._~!$&'()*+,;=:@%/-]|${placeholder})*$`)
const textTemplate = new RegExp(`^(?:(?:[ -z|~]|${brace}|${placeholder})*|\\{${parameter}\\?\\})$`)
const bodyText = new RegExp(`^(?:[^{}]|${brace}|${placeholder})*$`, 'u')

const placeholders =
  'Placeholders: `{parameters.a.b}`, `{idempotency_key}`, `{action_id}`, `{tenant_id}`, `{operation}`, `{not_after}`, `{callback_url}`.'
const optional = 'A value that is `{parameters.a.b?}` alone is left out where there is none.'
const templateSchema = z.string().max(limits.template_length_max).regex(textTemplate, notATemplate)

export const headersSchema = writtenHeaders(z.union([templateSchema, secretReferenceSchema])).describe(
  `Header values: templates in printable ASCII, or secrets. ${placeholders} ${optional}`,
)

/** One request. Without a `body` template, the body is the parameters; GET and DELETE then have no body. */
export const requestFields = {
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z
    .string()
    .max(limits.template_length_max)
    .regex(pathTemplate, notATemplate)
    .describe(`Appended to the path of \`base_url\`; values are escaped. ${placeholders}`),
  query: z
    .record(z.string().min(1).max(100), z.union([templateSchema, z.array(templateSchema).min(1).max(20)]))
    .optional()
    .describe(`Query of the URL: a text, or several. A placeholder alone may be an array. ${optional}`),
  arrays: z
    .enum(['repeat', 'brackets', 'comma'])
    .optional()
    .describe(
      'How an array is written into a query or a form: `a=1&a=2` where not given, `a[]=1&a[]=2`, or `a=1,2`, which no item may hold a comma for.',
    ),
  headers: headersSchema.optional(),
  content: z
    .enum(['json', 'form', 'multipart', 'text'])
    .optional()
    .describe(
      'How the body is written: `json` where not given; `form` and `multipart` take an object of texts, numbers, truth values and arrays of them; `text` takes one text.',
    ),
  body: jsonValueSchema
    .refine(isBodyTemplate, { message: notATemplate, params: { code: 'unknown_placeholder' } })
    .optional()
    .describe(
      'Template of the body, in JSON: a text that is one placeholder becomes the value itself, or is left out where there is none. A brace is written twice: `{{`, `}}`. Absent: the parameters as they are; no body for GET and DELETE.',
    ),
}

export const fittingBody = {
  check: hasFittingBody,
  message: 'does not fit its content: an object for form and multipart, a text for text',
  code: 'body_does_not_fit',
}

function hasFittingBody({ content = 'json', body }: Written): boolean {
  if (content === 'json') return true
  if (content === 'text') return typeof body === 'string'
  if (body === undefined) return true
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  const leaves = Object.values(body).flatMap(member => (Array.isArray(member) ? member : [member]))
  return leaves.every(leaf => typeof leaf !== 'object' || leaf === null)
}

export function namesCallback({ path, query = {}, headers = {}, body = null }: Tells): boolean {
  const names = (value: unknown): boolean => {
    if (typeof value === 'string') return value.includes('{callback_url}')
    return typeof value === 'object' && value !== null && Object.values(value).some(names)
  }
  return [path, query, headers, body].some(names)
}

interface Tells {
  path?: string
  query?: object | undefined
  headers?: object | undefined
  body?: JsonValue | undefined
}

interface Written {
  content?: string | undefined
  body?: JsonValue | undefined
}

function isBodyTemplate(value: JsonValue): boolean {
  if (typeof value === 'string') return bodyText.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(isBodyTemplate)
}
