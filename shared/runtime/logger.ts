import {
  type DestinationStream,
  destination,
  type Logger,
  pino,
  stdSerializers,
  stdTimeFunctions,
} from 'pino'

export type { Logger } from 'pino'

/** JSON lines on standard error; whatever looks like a secret is blanked (contract section 14). */
export function createLogger(level: string, stream: DestinationStream = standardError()): Logger {
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

const heldBytesMax = 8_192
const heldMsMax = 10

/**
 * Lines go out together, a few milliseconds after the answers that they tell of. Those that come while others are being
 * written follow them: a flush in between is one that the stream forgets.
 */
function standardError(): DestinationStream {
  const lines = destination({ fd: 2, sync: false, minLength: heldBytesMax })
  let heldBytes = 0
  let due = false
  const send = (): void => {
    due = false
    if (heldBytes > 0) lines.flush()
  }
  lines.on('write', (bytes: number) => {
    heldBytes -= bytes
  })
  lines.on('drain', send)
  return {
    write(line) {
      heldBytes += Buffer.byteLength(line)
      lines.write(line)
      if (due) return
      due = true
      setTimeout(send, heldMsMax)
    },
  }
}

/** What an error carries beside these may be the row or the request that it is about. */
function tellError(error: Error): object {
  const { type, message, stack, code } = stdSerializers.err(error)
  return { type, message, stack, ...(typeof code === 'string' ? { code } : {}) }
}
