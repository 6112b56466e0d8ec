/** Codes of Postgres and of its driver that say that storage is not to be had now, not that a request is wrong. */
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
/** SQLSTATE: serialization and deadlock, resources, operator intervention, connection, lock and statement bounds. */
const outageStates = /^(40|53|57|08|58)...$|^55P03$|^25006$/

/** node-postgres says by words alone that a connection was lost, or that there was none to be had. */
const outageMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/

/** SQLSTATE of what is no statement's own: the server ends or refuses sessions, or nothing is heard of it. */
const unreachableStates = /^(57P..|08...|53300)$/

/** Whether an error, or what caused it, means that durable storage is unavailable for now: the caller may try again. */
export function isOutage(error: unknown): boolean {
  return someCause(error, (message, code) => isUnreachable(message, code) || outageStates.test(code))
}

/** Whether an error, or what caused it, says of the database that it was not reached, whatever was asked of it. */
export function isLost(error: unknown): boolean {
  return someCause(error, isUnreachable)
}

/** Whether an error, or what caused it, says that a statement took longer than it may: one about less may do. */
export function tookTooLong(error: unknown): boolean {
  return someCause(error, (message, code) => code === '57014' || message.startsWith('Query read timeout'))
}

/** Whether an error, or what caused it, says that somebody else held a lock for longer than is waited for it. */
export function waitedInVain(error: unknown): boolean {
  return someCause(error, (_, code) => code === '55P03')
}

function isUnreachable(message: string, code: string): boolean {
  return outageMessages.test(message) || outageCodes.has(code) || unreachableStates.test(code)
}

function someCause(error: unknown, test: (message: string, code: string) => boolean): boolean {
  return [...causesOf(error)].some(cause => test(cause.message, 'code' in cause ? String(cause.code) : ''))
}

/** An error, what caused it, what caused that, and so on; each once. */
export function causesOf(error: unknown): Set<Error> {
  const causes = new Set<Error>()
  for (let cause = error; cause instanceof Error && !causes.has(cause); cause = cause.cause) causes.add(cause)
  return causes
}

/** Something that the service needs is not there at start-up: the message says what and how to mend it. Exit code 1. */
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

/** The embedded PostgreSQL could not be started. The message says what the operator can do about it. */
export class EmbeddedPostgresError extends StartupError {
  readonly code: EmbeddedPostgresErrorCode

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbeddedPostgresError'
    this.code = code
  }
}
