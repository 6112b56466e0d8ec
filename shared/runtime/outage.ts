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
const outageStates = /^(40|53|57|08|58)|^55P03$|^25006$/

/** node-postgres says by words alone that a connection was lost, or that there was none to be had. */
const outageMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/

/** Whether an error, or what caused it, means that durable storage is unavailable for now: the caller may try again. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (
    outageMessages.test(error.message) ||
    outageCodes.has(code) ||
    (code.length === 5 && outageStates.test(code))
  )
    return true
  return isOutage(error.cause)
}
