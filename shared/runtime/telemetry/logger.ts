import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import { standardError } from './line-stream.ts'
import { serializeError } from './serialized-error.ts'

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
