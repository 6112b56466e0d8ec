import { z } from 'zod'
import { identifierSchema } from './identifier.ts'
import { jsonObjectSchema } from './json.ts'
import { limits } from './limits.ts'

export const actuatorKinds = ['mock', 'module'] as const
export const idempotencySchema = z.enum(['key_honoured', 'none']).meta({
  id: 'Idempotency',
  description: 'Whether the downstream system honours the idempotency key of the service.',
})
export type Idempotency = z.infer<typeof idempotencySchema>

/** Options of the mock actuator: a delay in milliseconds and an outcome to play for tests (contract section 7). */
export const mockSettingsSchema = z
  .strictObject({
    delay_ms: z.int().min(0).max(limits.actuator_delay_ms_max).optional().describe('Milliseconds.'),
    outcome: z.enum(['ok', 'failed', 'retry', 'unknown', 'throw']).optional(),
    idempotency: idempotencySchema.optional(),
  })
  .describe('What the mock plays.')
export type MockSettings = z.infer<typeof mockSettingsSchema>

/** An actuator registered for a tenant (contract section 7). */
export const registeredActuatorSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      name: identifierSchema,
      kind: z.literal('mock'),
      settings: mockSettingsSchema.default({}),
    }),
    z.strictObject({
      name: identifierSchema,
      kind: z.literal('module'),
      settings: z.strictObject({}).default({}),
    }),
  ])
  .meta({
    id: 'Actuator',
    title: 'Registered actuator',
    description: 'What executes the operations of one system for a tenant.',
  })
export type RegisteredActuator = z.infer<typeof registeredActuatorSchema>

const failureText = { code: z.string().min(1).max(100), message: z.string().max(limits.note_length_max) }

/**
 * What an invocation of an actuator came to (contract section 7): `ok` done; `failed` definitely no effect, permanent;
 * `retry` definitely no effect; `unknown` may have had an effect.
 */
export const outcomeSchema = z.discriminatedUnion('class', [
  z.strictObject({ class: z.literal('ok'), detail: jsonObjectSchema }),
  z.strictObject({ class: z.enum(['failed', 'retry', 'unknown']), ...failureText }),
])
export type Outcome = z.infer<typeof outcomeSchema>
