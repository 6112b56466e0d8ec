import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino'
import { standardError } from './line-stream.ts'

export type { Logger } from 'pino'

/** JSON lines on standard error; whatever looks like a secret is blanked (contract section 14). */
export function createLogger(level: string, stream: DestinationStream = standardError): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: tellError },
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

/** What an error carries beside these may be the row or the request that it is about. */
function tellError(error: Error): object {
  const { type, message, stack, code } = stdSerializers.err(error)
  return { type, message, stack, ...(typeof code === 'string' ? { code } : {}) }
}
