import { z } from 'zod'
import { warningsSchema } from '../base/errors.ts'
import { hashSchema, identifierSchema } from '../base/identifier.ts'
import { jsonObjectSchema, jsonValueSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'
import { httpSettingsSchema, ownerMayChangeSchema } from './http-actuator-schema.ts'
import { mcpSettingsSchema } from './mcp-actuator-schema.ts'

export const actuatorKinds = ['mock', 'http', 'mcp', 'module'] as const
export const idempotencySchema = z.enum(['key_honoured', 'none']).meta({
  id: 'Idempotency',
  description: 'Whether the downstream system honours the idempotency key of the service.',
})
export type Idempotency = z.infer<typeof idempotencySchema>

/**
 * Options of the mock actuator for tests: a delay in milliseconds and the outcome to simulate
 * (specification.md#actuators).
 */
export const mockSettingsSchema = z
  .strictObject({
    delay_ms: z.int().min(0).max(limits.actuator_delay_ms_max).optional().describe('Milliseconds.'),
    outcome: z
      .enum(['ok', 'failed', 'retry', 'busy', 'unknown', 'throw'])
      .optional()
      .describe('How every invocation ends; `ok` where not given.'),
    idempotency: idempotencySchema.optional(),
  })
  .describe('What the mock plays.')
export type MockSettings = z.infer<typeof mockSettingsSchema>

/** Settings of an actuator from the worker's `--actuators` (specification.md#actuators). */
export const moduleSettingsSchema = z
  .strictObject({
    tool_schema_hash: hashSchema
      .optional()
      .describe('Of the tool that it calls, for catalogs that commit to it.'),
    owner_may_change: ownerMayChangeSchema,
  })
  .describe('What is known of the module.')

/** An actuator registered for a tenant (specification.md#actuators). */
export const registeredActuatorSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      name: identifierSchema,
      kind: z.literal('mock'),
      settings: mockSettingsSchema.default({}),
    }),
    z.strictObject({
      name: identifierSchema,
      kind: z.literal('http'),
      settings: httpSettingsSchema,
    }),
    z.strictObject({
      name: identifierSchema,
      kind: z.literal('mcp'),
      settings: mcpSettingsSchema,
    }),
    z.strictObject({
      name: identifierSchema,
      kind: z.literal('module'),
      settings: moduleSettingsSchema.default({}),
    }),
  ])
  .meta({
    id: 'Actuator',
    title: 'Registered actuator',
    description: 'What executes the operations of one system for a tenant.',
  })
export type RegisteredActuator = z.infer<typeof registeredActuatorSchema>

const failureText = {
  code: z.string().min(1).max(100),
  message: z.string().max(limits.note_length_max),
  /** The downstream's answer. It is kept only if it was small and valid JSON. */
  body: jsonValueSchema.optional(),
}

/** The rule that classified a complete answer (actuators.md#what-an-answer-means). */
const decidedBy = { rule: z.string().min(1).max(200).optional() }

/**
 * The result of a call through an actuator (specification.md#actuators): `ok`, the operation is done; `failed`, it
 * had no effect and never will; `retry`, it had no effect and may be called again; `busy`, it had no effect and
 * the downstream asks for a later call, which does not count as an attempt; `unknown`, it may have had an effect.
 */
export const outcomeSchema = z.discriminatedUnion('class', [
  z.strictObject({ class: z.literal('ok'), detail: jsonObjectSchema, ...decidedBy }),
  z.strictObject({ class: z.enum(['failed', 'unknown']), ...failureText, ...decidedBy }),
  z.strictObject({
    class: z.enum(['retry', 'busy']),
    ...failureText,
    ...decidedBy,
    /** Milliseconds that the downstream asked to wait; the service limits them. */
    retry_after_ms: z.int().min(0).optional(),
  }),
])
export type Outcome = z.infer<typeof outcomeSchema>

/**
 * The result of a look-up by idempotency key (specification.md#actuators, specification.md#unknown-outcomes):
 * `executed`, the effect occurred; `failed`, the downstream recorded a refusal or voided the key, so the effect
 * can never occur; `absent`, the downstream has no record of the key now, which alone proves nothing; `unclear`,
 * the look-up got no usable answer.
 */
export const findingSchema = z.discriminatedUnion('found', [
  z.strictObject({ found: z.literal('executed'), detail: jsonObjectSchema }),
  z.strictObject({ found: z.enum(['failed', 'unclear']), ...failureText }),
  z.strictObject({ found: z.literal('absent') }),
])
export type Finding = z.infer<typeof findingSchema>

export const actuatorListSchema = z
  .strictObject({
    actuators: z
      .array(registeredActuatorSchema)
      .max(limits.actuators_per_tenant_max)
      .refine(list => new Set(list.map(({ name }) => name)).size === list.length, {
        message: 'names must be distinct',
        params: { code: 'duplicate_name' },
      })
      .describe('Every one that is registered; no two of the same name.'),
  })
  .meta({
    id: 'ActuatorList',
    title: 'Actuator list',
    description: 'All actuators that are registered for a tenant.',
  })

export const replacedActuatorsSchema = z
  .strictObject({
    actuators: actuatorListSchema.shape.actuators,
    warnings: warningsSchema,
  })
  .meta({
    id: 'ReplacedActuators',
    title: 'Replaced actuators',
    description:
      'All actuators that are registered now; `warnings` say what of them no worker, or not every one, could call: secrets and servers that it does not have, hosts that it may not call.',
  })
