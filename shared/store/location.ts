import postgres from 'postgres'

/** Where a database is: a URL, or a host (a directory for a unix socket) with a login. */
export type DatabaseLocation =
  | { url: string }
  | { host: string; port?: number; user: string; password?: string; database: string }

export type ConnectionOptions = postgres.Options<Record<string, postgres.PostgresType>>

/**
 * Pause before a lost connection is tried again. The driver's own grows to 20 s, and every query that waits for a
 * connection waits for one such pause of its own: requests would hang for minutes and a database that is back be shunned.
 */
const reconnectSeconds = () => 0.05

/** A client for a location; `options` win over what the location says. */
export function connect(location: DatabaseLocation, options: ConnectionOptions): postgres.Sql {
  const shared: ConnectionOptions = {
    onnotice: () => undefined,
    connect_timeout: 5,
    backoff: reconnectSeconds,
    ...options,
  }
  if (!('url' in location)) return postgres({ ...location, ...shared })
  const { url, host } = withoutHostParameter(location.url)
  return postgres(url, host === null ? shared : { host, ...shared })
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
