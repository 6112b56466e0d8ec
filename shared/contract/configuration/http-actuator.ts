import { z } from 'zod'
import { authSchema, secretReferenceSchema } from '../base/credentials.ts'
import { identifierSchema } from '../base/identifier.ts'
import { type JsonValue, jsonValueSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'

const placeholder =
  '\\{(?:parameters(?:\\.[A-Za-z0-9_$-]{1,100}){1,16}|idempotency_key|action_id|tenant_id|operation|not_after)\\}'
const notATemplate = 'holds a brace that is not one of the placeholders'
const pathTemplate = new RegExp(`^/(?:[A-Za-z0-9._~!$&'()*+,;=:@%/-]|${placeholder})*$`)
const textTemplate = new RegExp(`^(?:[ -z|~]|${placeholder})*$`)
const bodyText = new RegExp(`^(?:[^{}]|${placeholder})*$`, 'u')

const placeholders =
  'Placeholders: `{parameters.a.b}`, `{idempotency_key}`, `{action_id}`, `{tenant_id}`, `{operation}`, `{not_after}`.'
const headerNameSchema = z
  .string()
  .max(100)
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be a header name')
const templateSchema = z.string().max(limits.template_length_max).regex(textTemplate, notATemplate)
const headersSchema = z
  .record(headerNameSchema, z.union([templateSchema, secretReferenceSchema]))
  .describe(`Header values: templates in printable ASCII, or secrets. ${placeholders}`)

/** One request. `body` is a template of any JSON value; absent, the parameters themselves, or nothing for GET and DELETE. */
const requestFields = {
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z
    .string()
    .max(limits.template_length_max)
    .regex(pathTemplate, notATemplate)
    .describe(`Appended to the path of \`base_url\`; values are escaped. ${placeholders}`),
  query: z.record(z.string().min(1).max(100), templateSchema).optional().describe('Query of the URL.'),
  headers: headersSchema.optional(),
  body: jsonValueSchema
    .refine(isBodyTemplate, { message: notATemplate, params: { code: 'unknown_placeholder' } })
    .optional()
    .describe(
      'Template of the JSON body: a text that is one placeholder becomes the value itself, or is left out where there is none. Absent: the parameters as they are; no body for GET and DELETE.',
    ),
}

const statusesSchema = z.array(z.int().min(200).max(599)).max(100)

/** Which complete answers say what; every other answer may have had an effect (specification.md#outcome-classes). */
const statusMapSchema = z
  .strictObject({
    done: statusesSchema.optional().describe('It was done; every 2xx where not given.'),
    refused: statusesSchema
      .optional()
      .describe(
        'Nothing was done and never will be; 400, 401, 403, 404, 405, 409, 413, 415 and 422 where not given. Where the key is honoured, a repeated delivery may get 409, and for DELETE 404: these then prove nothing unless they are given here.',
      ),
    busy: statusesSchema
      .optional()
      .describe(
        'Nothing was done, try again later, which uses up no attempt; beside those given, 429, and 503 with `Retry-After`, unless they are given above. `Retry-After` is followed.',
      ),
  })
  .describe('What statuses mean; any other may have had an effect.')
export type StatusMap = z.infer<typeof statusMapSchema>

const memberPathSchema = z
  .string()
  .max(limits.template_length_max)
  .regex(/^[A-Za-z0-9_$-]+(?:\.[A-Za-z0-9_$-]+)*$/)

const scalarSchema = z.union([z.string().max(200), z.number(), z.boolean(), z.null()])

/** Something that the body of an answer may say. */
const bodyConditionSchema = z
  .strictObject({
    path: memberPathSchema.describe('Names of members, by dots; arrays are not walked.'),
    equals: scalarSchema.optional(),
    one_of: z.array(scalarSchema).min(1).max(20).optional(),
    exists: z.boolean().optional().describe('Whether the member is there and not null.'),
  })
  .refine(isOneCondition, {
    message: 'takes exactly one of equals, one_of and exists',
    params: { code: 'not_one_condition' },
  })
export type BodyCondition = z.infer<typeof bodyConditionSchema>

const operationSchema = z
  .strictObject({
    ...requestFields,
    statuses: statusMapSchema.optional(),
    response: z
      .enum(['json', 'ignored'])
      .optional()
      .describe(
        '`json`: the body of what was done must be empty or JSON, and becomes the result. Default `json`.',
      ),
    success_when: bodyConditionSchema
      .optional()
      .describe(
        'What the body says of what was done: of an answer with a status of `done` that does not say it, the outcome is unknown.',
      ),
    failed_when: bodyConditionSchema
      .optional()
      .describe(
        'What the body says, under a status of `done`, where nothing was done and never will be. An answer that says this and `success_when` too is unknown.',
      ),
  })
  .refine(readsWhatItJudges, {
    message: 'success_when and failed_when judge the body, which is ignored',
    path: ['response'],
    params: { code: 'body_ignored' },
  })
export type HttpOperation = z.infer<typeof operationSchema>

/** Asks what became of a key. `state` names the member of a JSON answer that tells it. */
const lookupSchema = z
  .strictObject({
    ...requestFields,
    executed: statusesSchema.describe('The downstream has done it.'),
    absent: statusesSchema.optional().describe('There is no trace of the key. 404 where not given.'),
    failed: statusesSchema
      .optional()
      .describe('The downstream refused it, or voided the key in one step with the effect: it never will.'),
    state: z
      .strictObject({
        path: memberPathSchema,
        executed: z.array(z.string().max(200)).min(1).max(20),
        failed: z.array(z.string().max(200)).max(20).optional(),
      })
      .optional()
      .describe('Of an answer with a status of `executed`, the text that tells whether it happened.'),
  })
  .describe('A request that tells what became of a key; it changes nothing but may void the key.')
export type HttpLookup = z.infer<typeof lookupSchema>

const httpUrlSchema = z
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

/** What is known of a downstream over HTTP, in its own words: durations in milliseconds, sizes in bytes. */
export const downstreamFields = {
  timeout_ms: z
    .int()
    .min(100)
    .max(limits.actuator_timeout_ms_max)
    .optional()
    .describe('Deadline of one request; 10000 where not given. Milliseconds.'),
  max_response_bytes: z
    .int()
    .min(1)
    .max(limits.actuator_response_bytes_max)
    .optional()
    .describe('Largest answer that is read; 65536 where not given.'),
  headers: headersSchema.optional(),
  key_retention_ms: z
    .int()
    .min(1_000)
    .max(limits.key_retention_ms_max)
    .optional()
    .describe('How long the downstream remembers a key; a day where not given. Milliseconds.'),
  url: httpUrlSchema,
}

/** Settings of an `http` actuator (specification.md#actuators; what must be declared, specification.md#what-an-actuator-declares). */
export const httpSettingsSchema = z
  .strictObject({
    base_url: downstreamFields.url,
    idempotency: z
      .enum(['key_honoured', 'none'])
      .optional()
      .describe('Whether the downstream honours the key; `none` where not given.'),
    idempotency_header: headerNameSchema.optional().describe('`Idempotency-Key` where not given.'),
    key_retention_ms: downstreamFields.key_retention_ms,
    not_after_header: headerNameSchema
      .optional()
      .describe('Header with the moment (ISO 8601) after which the downstream refuses the request.'),
    absence_proves_after_ms: z
      .int()
      .min(0)
      .max(limits.key_retention_ms_max)
      .optional()
      .describe(
        'Only where the downstream enforces `not_after_header` and its look-up is strongly consistent: how long after that moment an absent key proves that nothing happened. Milliseconds.',
      ),
    auth: authSchema.optional(),
    headers: downstreamFields.headers,
    timeout_ms: downstreamFields.timeout_ms,
    max_response_bytes: downstreamFields.max_response_bytes,
    operations: z
      .record(identifierSchema, operationSchema)
      .describe(
        'The request of each operation, by its name; what is not here is refused before anything is sent.',
      ),
    lookup: lookupSchema.optional(),
  })
  .describe('One HTTP request for each operation.')
export type HttpSettings = z.infer<typeof httpSettingsSchema>

function isBodyTemplate(value: JsonValue): boolean {
  if (typeof value === 'string') return bodyText.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(isBodyTemplate)
}

function isOneCondition({ equals, one_of, exists }: Partial<Record<string, unknown>>): boolean {
  return [equals, one_of, exists].filter(value => value !== undefined).length === 1
}

function readsWhatItJudges(operation: Partial<Record<string, unknown>>): boolean {
  return operation.response !== 'ignored' || !(operation.success_when || operation.failed_when)
}
