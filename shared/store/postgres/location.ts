import pg from 'pg'
import postgres from 'postgres'
import { postgresAddress } from '../../runtime/settings/postgres-address.ts'

/** Where a database is: a URL, or a host (a directory for a unix socket) with a login. */
export type DatabaseLocation =
  | { url: string }
  | { host: string; port?: number; user: string; password?: string; database: string }

/** Settings of a database session, by their names in Postgres. */
export type Session = Readonly<Record<string, string | number | boolean>>

const connectSeconds = 5
/** A server that does not answer is given up this much later than the server itself would give up a statement. */
export const answerMsMore = 1_000

/**
 * Pause before a lost connection is tried again. The driver's own grows to 20 s, and every query that waits for a
 * connection waits for one such pause of its own: requests would hang for minutes and a database that is back be shunned.
 */
const reconnectSeconds = () => 0.05

/** A client for single statements. */
export function connect(location: DatabaseLocation, session: Session, size: number): postgres.Sql {
  const options = {
    onnotice: () => undefined,
    connect_timeout: connectSeconds,
    backoff: reconnectSeconds,
    fetch_types: false,
    max: size,
    connection: { ...session },
  }
  if (!('url' in location)) return postgres({ ...location, ...options })
  const { connectionString, ssl } = postgresAddress(location.url)
  const { url, host } = withoutHostParameter(connectionString)
  return postgres(url, { ...options, ssl, ...(host === null ? {} : { host }) })
}

/** A pool for transactions: it survives the loss of a connection at any point of one. */
export function connectPool(
  location: DatabaseLocation,
  session: Session,
  bounds: { size: number; statementMsMax: number },
): pg.Pool {
  const pool = new pg.Pool({
    ...('url' in location ? postgresAddress(location.url) : location),
    options: Object.entries(session)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    max: bounds.size,
    connectionTimeoutMillis: connectSeconds * 1000,
    query_timeout: bounds.statementMsMax + answerMsMore,
    keepAlive: true,
  })
  // The query under way is told of a lost connection; an idle one is simply replaced.
  pool.on('error', () => undefined)
  pool.on('connect', client => client.on('error', () => undefined))
  return pool
}

/**
 * PostgreSQL's own clients and node-postgres name the directory of a unix socket by a parameter,
 * `postgres://user@/database?host=/directory`. postgres.js knows no such one, nor a login without a host behind it.
 */
function withoutHostParameter(text: string): { url: string; host: string | null } {
  if (!/[?&]host=/.test(text)) return { url: text, host: null }
  const url = new URL(text.replace(/^([^/]+:\/\/[^/?#]*@)(?=\/)/, '$1localhost'))
  const host = url.searchParams.get('host')
  url.searchParams.delete('host')
  return { url: url.href, host }
}
