import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino'
import { causesOf } from '../outage.ts'
import { standardError } from './line-stream.ts'

export type { Logger } from 'pino'

/**
 * Creates a logger of JSON lines on standard error. It blanks values that look like secrets
 * (specification.md#operations).
 */
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

export interface SerializedError {
  type: string
  message: string
  stack: string
  code?: string
}

/**
 * Returns only the message and the origin of an error. Other properties may contain a row or a request. Messages
 * of drizzle-orm contain statement values, so those values are removed.
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
