import { z } from 'zod'
import { ownHeaderNameSchema } from '../base/header-names.ts'
import { authSchema, type HttpAuth, httpUrlSchema } from '../base/http-auth.ts'
import { identifierSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { effectiveAnswers, presetSchema, type StatedAnswers } from './answer-presets.ts'
import { answerFields, memberPathSchema, rulesOf, statusesSchema, testsOf } from './answer-rules.ts'
import { completionSchema } from './completion.ts'
import { fittingBody, headersSchema, namesCallback, requestFields } from './request-template.ts'

const { check, message, code } = fittingBody
const bodyProblem = { message, path: ['body'], params: { code } }

export const httpOperationSchema = z
  .strictObject({
    ...requestFields,
    preset: presetSchema.optional(),
    ...answerFields,
    completion: completionSchema.optional(),
    idempotency: z
      .enum(['key_honoured', 'none'])
      .optional()
      .describe(
        'Whether the downstream honours the key for this operation; as the registration says where not given.',
      ),
  })
  .refine(check, bodyProblem)
  .refine(operation => namesCallback(operation) === (operation.completion?.callback !== undefined), {
    message: 'takes both or neither: `completion.callback`, and a request that tells `{callback_url}`',
    path: ['completion'],
    params: { code: 'callback_untold' },
  })
export type HttpOperation = z.infer<typeof httpOperationSchema>

/**
 * A look-up of the outcome for an idempotency key. `state` names the member of a JSON answer that holds the
 * outcome.
 */
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
  .refine(check, bodyProblem)
  .describe('A request that tells what became of a key; it changes nothing but may void the key.')
export type HttpLookup = z.infer<typeof lookupSchema>

/** Settings that all HTTP downstreams share. Durations are in milliseconds, sizes in bytes. */
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

/**
 * The operator's permission to change a registration that names variables or programs of the workers. Without it,
 * an owner may not widen such a registration.
 */
export const ownerMayChangeSchema = z
  .literal(true)
  .optional()
  .describe(
    'Of a registration that names variables, programs or modules of the workers: its owner may change all of it at the same places. Where not given, an owner may only narrow it (actuators.md#what-an-owner-may-change).',
  )

/**
 * Settings of an `http` actuator (specification.md#actuators; required declarations:
 * specification.md#what-an-actuator-declares).
 */
export const httpSettingsSchema = z
  .strictObject({
    base_url: downstreamFields.url,
    idempotency: z
      .enum(['key_honoured', 'none'])
      .optional()
      .describe('Whether the downstream honours the key; `none` where not given.'),
    idempotency_header: ownHeaderNameSchema.optional().describe('`Idempotency-Key` where not given.'),
    key_retention_ms: downstreamFields.key_retention_ms,
    not_after_header: ownHeaderNameSchema
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
    preset: presetSchema.optional(),
    timeout_ms: downstreamFields.timeout_ms,
    max_response_bytes: downstreamFields.max_response_bytes,
    operations: z
      .record(identifierSchema, httpOperationSchema)
      .describe(
        'The request of each operation, by its name; what is not here is refused before anything is sent.',
      ),
    lookup: lookupSchema.optional(),
    owner_may_change: ownerMayChangeSchema,
  })
  .superRefine(readsWhatItJudges)
  .refine(({ headers, lookup = {} }) => !namesCallback({ headers }) && !namesCallback(lookup), {
    message: 'only the request of an operation tells `{callback_url}`',
    path: ['headers'],
    params: { code: 'callback_misplaced' },
  })
  .refine(({ auth, base_url }) => auth?.type !== 'mtls' || base_url.startsWith('https:'), {
    message: 'a client certificate takes an address with https',
    path: ['base_url'],
    params: { code: 'certificate_without_tls' },
  })
  .refine(settings => isEachOnce(ownHeaders(settings)), {
    message: 'the key, `not_after` and the proof of who sends take headers of their own',
    path: ['idempotency_header'],
    params: { code: 'header_twice' },
  })
  .describe('One HTTP request for each operation.')
export type HttpSettings = z.infer<typeof httpSettingsSchema>

/** Lists the headers that the service sets. They must differ, because a later one would replace an earlier one. */
function ownHeaders({
  auth,
  idempotency_header = 'Idempotency-Key',
  not_after_header,
}: OwnHeaders): string[] {
  const proof = auth && proofHeaders[auth.type](auth)
  return [idempotency_header, not_after_header, proof].flatMap(name => name?.toLowerCase() ?? [])
}

interface OwnHeaders {
  auth?: HttpAuth | undefined
  idempotency_header?: string | undefined
  not_after_header?: string | undefined
}

const none = (): undefined => undefined
const authorization = (): string => 'authorization'

const proofHeaders: Record<HttpAuth['type'], (auth: HttpAuth) => string | undefined> = {
  bearer: authorization,
  basic: authorization,
  oauth2_client_credentials: authorization,
  aws_sigv4: authorization,
  header: auth => (auth.type === 'header' ? auth.name : undefined),
  hmac: () => 'webhook-signature',
  query: none,
  mtls: none,
}

function isEachOnce(names: readonly string[]): boolean {
  return new Set(names).size === names.length
}

/** Refuses rules about the body if the body is ignored, because such rules could never match. */
function readsWhatItJudges(settings: AnsweringSettings, context: z.RefinementCtx): void {
  for (const [name, operation] of Object.entries(settings.operations)) {
    const { response, success_when, failed_when, busy_when } = effectiveAnswers(settings, operation)
    const tests = [success_when, failed_when, busy_when].flatMap(rulesOf).flatMap(testsOf)
    if (response !== 'ignored' || tests.every(({ path }) => path === undefined)) continue
    context.addIssue({
      code: 'custom',
      message: 'its rules judge members of the body, which is ignored',
      path: ['operations', name, 'response'],
      params: { code: 'body_ignored' },
    })
  }
}

interface AnsweringSettings extends Pick<StatedAnswers, 'preset'> {
  operations: Record<string, HttpOperation>
}
