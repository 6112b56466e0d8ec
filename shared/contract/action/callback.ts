import { z } from 'zod'
import { type JsonValue, jsonValueSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'

/** A URL without credentials or fragment. The service calls exactly this text. */
export const calledUrlSchema = z
  .string()
  .max(limits.webhook_url_length_max)
  .regex(/^https?:\/\/[^\s#@]+$/, {
    message: 'must be an http or https URL without credentials or fragment',
    abort: true,
  })
  .refine(text => URL.canParse(text), { message: 'must be a URL', params: { code: 'invalid_url' } })

const dataSchema = jsonValueSchema.refine(data => bytesOf(data) <= limits.callback_data_bytes_max, {
  message: `must have at most ${limits.callback_data_bytes_max} bytes as JSON`,
  params: { code: 'too_long' },
})

/**
 * The receiver of one message when the action settles, so that a workflow can continue without polling
 * (integrate.md#callbacks).
 */
export const callbackSchema = z
  .strictObject({
    url: calledUrlSchema
      .refine(isNormal, {
        message:
          'must be written as it is called, without dot segments, preset ports or capitals in its host',
        params: { code: 'invalid_url' },
      })
      .meta({
        description: 'Begins with the URL of a webhook of the tenant that takes `action.callback`.',
        examples: ['https://workflows.example.org/resume/42'],
      }),
    data: dataSchema
      .optional()
      .describe(`Comes back as it is, at most ${limits.callback_data_bytes_max} bytes as JSON.`),
  })
  .meta({ id: 'Callback', description: 'Who is told, with one message, when the action settles.' })
export type Callback = z.infer<typeof callbackSchema>

/** Returns true if a URL is in normal form, so that equal texts call the same address. */
export function isNormal(text: string): boolean {
  return URL.canParse(text) && new URL(text).href === text
}

function bytesOf(data: JsonValue): number {
  return new TextEncoder().encode(JSON.stringify(data)).length
}
