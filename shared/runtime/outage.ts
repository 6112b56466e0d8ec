/** Codes of Postgres and its driver for unavailable storage. The request itself is not wrong. */
const outageCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])
/**
 * SQLSTATEs of serialization and deadlock, resources, operator intervention, connection, lock and statement
 * limits.
 */
const outageStates = /^(40|53|57|08|58)...$|^55P03$|^25006$/

/** node-postgres reports lost or missing connections only in the message, without a code. */
const outageMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/

/** SQLSTATEs that affect all statements: the connection is lost, or the server ends or refuses sessions. */
const unreachableStates = /^(57P..|08...|53300)$/

/** Returns true if an error or its cause says that storage is unavailable for now. A retry may succeed. */
export function isOutage(error: unknown): boolean {
  return someCause(error, (message, code) => isUnreachable(message, code) || outageStates.test(code))
}

export function isLost(error: unknown): boolean {
  return someCause(error, isUnreachable)
}

/** Returns true if an error or its cause says that a statement took too long. A smaller statement may succeed. */
export function tookTooLong(error: unknown): boolean {
  return someCause(error, (message, code) => code === '57014' || message.startsWith('Query read timeout'))
}

/** Returns true if an error or its cause says that the wait for a lock took too long. */
export function waitedInVain(error: unknown): boolean {
  return someCause(error, (_, code) => code === '55P03')
}

function isUnreachable(message: string, code: string): boolean {
  return outageMessages.test(message) || outageCodes.has(code) || unreachableStates.test(code)
}

function someCause(error: unknown, test: (message: string, code: string) => boolean): boolean {
  return [...causesOf(error)].some(cause => test(cause.message, 'code' in cause ? String(cause.code) : ''))
}

export function causesOf(error: unknown): Set<Error> {
  const causes = new Set<Error>()
  for (let cause = error; cause instanceof Error && !causes.has(cause); cause = cause.cause) causes.add(cause)
  return causes
}

/** An error for a missing requirement at start-up, whose message says how to fix it. The exit code is 1. */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartupError'
  }
}

export type EmbeddedPostgresErrorCode =
  | 'directory_in_use'
  | 'directory_unusable'
  | 'start_failed'
  | 'unsupported_platform'

export class EmbeddedPostgresError extends StartupError {
  readonly code: EmbeddedPostgresErrorCode

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbeddedPostgresError'
    this.code = code
  }
}
