import pg from 'pg'
import postgres from 'postgres'
import { postgresAddress } from '../../runtime/settings/postgres-address.ts'

export type DatabaseLocation =
  | { url: string }
  | { host: string; port?: number; user: string; password?: string; database: string }

export type Session = Readonly<Record<string, string | number | boolean>>

const connectSeconds = 5
/** Milliseconds that a client waits beyond the server's own timeout before it abandons a statement. */
export const answerMsMore = 1_000

/**
 * Returns the pause in seconds before a new connection attempt. The driver's own pause grows to 20 s, and each
 * waiting query waits a pause of its own. Requests would hang for minutes after the database is back.
 */
const reconnectSeconds = () => 0.05

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

/** Creates a pool for transactions. The pool survives a connection that is lost at any point of a transaction. */
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
  // A running query reports its lost connection itself, and the pool replaces an idle connection.
  pool.on('error', () => undefined)
  pool.on('connect', client => client.on('error', () => undefined))
  return pool
}

/**
 * Removes the parameter `host` from a URL such as `postgres://user@/database?host=/directory`, which names the
 * directory of a unix socket. postgres.js knows neither this parameter nor a URL with a user and no host;
 * PostgreSQL's own clients and node-postgres do.
 */
function withoutHostParameter(text: string): { url: string; host: string | null } {
  if (!/[?&]host=/.test(text)) return { url: text, host: null }
  const url = new URL(text.replace(/^([^/]+:\/\/[^/?#]*@)(?=\/)/, '$1localhost'))
  const host = url.searchParams.get('host')
  url.searchParams.delete('host')
  return { url: url.href, host }
}
