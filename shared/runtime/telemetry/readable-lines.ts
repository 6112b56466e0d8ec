import { isatty } from 'node:tty'
import type { DestinationStream } from 'pino'
import { standardError } from './line-stream.ts'

export type LogFormat = 'auto' | 'json' | 'text'

export function logStream(format: LogFormat): DestinationStream {
  const readable = format === 'text' || (format === 'auto' && isatty(process.stderr.fd))
  return readable ? { write: line => standardError.write(readableLine(line)) } : standardError
}

const levels: Readonly<Record<number, string>> = {
  20: 'debug',
  30: 'info ',
  40: 'warn ',
  50: 'error',
  60: 'fatal',
}

export function readableLine(line: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>
  const clock = String(time).slice(11, 19)
  const said = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${plainText(name)}=${plain(value)}`],
  )
  const first = [clock, levels[Number(level)] ?? level, plainText(String(msg ?? '')), ...said].join(' ')
  return `${first}\n${stackOf(err)}`
}

function stackOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return ''
  const { stack, message } = err as { stack?: unknown; message?: unknown }
  const lines = String(stack ?? message ?? '').split('\n')
  return lines.map(line => `    ${plainText(line.trim())}\n`).join('')
}

function plain(value: unknown): string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : plainText(JSON.stringify(value))
}

/**
 * Escapes invisible characters, so that no text can move the cursor, begin a new line or reverse the direction.
 */
function plainText(text: string): string {
  return text.replaceAll(/\p{C}|\p{Zl}|\p{Zp}/gu, unseen =>
    [...unseen].map(sign => `\\u{${sign.codePointAt(0)?.toString(16)}}`).join(''),
  )
}
