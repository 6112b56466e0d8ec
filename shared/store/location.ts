import postgres from 'postgres'

/** Where a database is: a URL, or a host (a directory for a unix socket) with a login. */
export type DatabaseLocation =
  | { url: string }
  | { host: string; port?: number; user: string; password?: string; database: string }

export type ConnectionOptions = postgres.Options<Record<string, postgres.PostgresType>>

/** A client for a location; `options` win over what the location says. */
export function connect(location: DatabaseLocation, options: ConnectionOptions): postgres.Sql {
  const shared: ConnectionOptions = { onnotice: () => undefined, connect_timeout: 5, ...options }
  return 'url' in location ? postgres(location.url, shared) : postgres({ ...location, ...shared })
}
