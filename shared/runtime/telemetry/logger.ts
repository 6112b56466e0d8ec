import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino'
import { causesOf } from '../outage.ts'
import { standardError } from './line-stream.ts'

export type { Logger } from 'pino'

/** JSON lines on standard error; whatever looks like a secret is blanked (specification.md#operations). */
export function createLogger(level: string, stream: DestinationStream = standardError): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: serializeError },
      redact: {
        paths: [
          'api_key',
          '*.api_key',
          'authorization',
          '*.authorization',
          'cookie',
          '*.cookie',
          'parameters',
          '*.parameters',
        ],
        censor: '[redacted]',
      },
    },
    stream,
  )
}

/** What is told of an error. */
export interface SerializedError {
  type: string
  message: string
  /** With what it was caused by. */
  stack: string
  code?: string
}

/**
 * What an error says and where it came from. What else it carries may be the row or the request that it is about, and
 * so may the values of a statement, which drizzle-orm writes into its message: none of that is told.
 */
export function serializeError(error: Error): SerializedError {
  const { type, message, stack, code } = stdSerializers.err(error)
  const told = { type, message: withoutValues(message, error), stack: withoutValues(stack ?? message, error) }
  return typeof code === 'string' ? { ...told, code } : told
}

function withoutValues(text: string, error: Error): string {
  let told = text
  for (const cause of causesOf(error))
    if ('params' in cause) told = told.replaceAll(`\nparams: ${cause.params}`, '')
  return told
}
