import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino'

export type { Logger } from 'pino'

/** JSON lines on standard error; whatever looks like a secret is blanked (contract section 14). */
export function createLogger(
  level: string,
  stream: DestinationStream = destination({ fd: 2, sync: false }),
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
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
