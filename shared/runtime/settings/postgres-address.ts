import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'

/** Where a Postgres is and how its connections are protected, for every driver alike. */
export interface PostgresAddress {
  /** Without what the URL says of TLS, which each driver would read in its own way. */
  connectionString: string
  ssl: false | ConnectionOptions
}

/**
 * What `sslmode` may say. TLS is verified whole: the certificate is of a known authority and for the host. What leaves that to
 * the server, or checks less, is refused.
 */
const modes = ['disable', 'require', 'verify-full']

/** The parameters that name a file, and what each file holds. */
const files = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const

const noFollower =
  'name one host: a proxy, a DNS name or a virtual address that follows the primary (api/docs/deploy.md#one-address)'

/** Why a URL of Postgres cannot be taken, in a sentence that names the way; null where it can. */
export function postgresRefusal(text: string): string | null {
  const [, hosts = ''] = /^[^/]+:\/\/(?:[^/?#]*@)?([^/?#@]*)(?=[/?#]|$)/.exec(text) ?? []
  if (hosts.includes(',') || /[?&]host=[^&]*,/.test(text)) return `several hosts are not taken: ${noFollower}`
  if (/[?&]target_session_attrs=/.test(text)) return `target_session_attrs is not taken: ${noFollower}`
  const mode = parametersOf(text).get('sslmode') ?? 'disable'
  return modes.includes(mode) ? null : `sslmode must be ${modes.join(', ')}, not ${mode}`
}

/** How a URL of Postgres is connected to; it throws where a file that it names cannot be read. */
export function postgresAddress(text: string): PostgresAddress {
  const parameters = parametersOf(text)
  const named = Object.entries(files).filter(([parameter]) => parameters.has(parameter))
  const mode = parameters.get('sslmode') ?? (named.length > 0 ? 'verify-full' : 'disable')
  const host = parameters.get('host') ?? hostOf(text)
  const connectionString = withoutParameters(text)
  // A socket of the machine has no TLS.
  if (mode === 'disable' || host.startsWith('/')) return { connectionString, ssl: false }
  const read = named.flatMap(([parameter, option]) => {
    const path = parameters.get(parameter) as string
    // Node's own list of authorities counts where libpq's word for the system's is given.
    return path === 'system' ? [] : [[option, readFileSync(path, 'utf8')] as const]
  })
  return { connectionString, ssl: { host, ...Object.fromEntries(read) } }
}

const tlsParameter = /^(sslmode|sslrootcert|sslcert|sslkey)=/

function withoutParameters(text: string): string {
  const [before = '', query] = text.split('?', 2)
  const kept = query?.split('&').filter(part => !tlsParameter.test(part)) ?? []
  return kept.length > 0 ? `${before}?${kept.join('&')}` : before
}

function parametersOf(text: string): URLSearchParams {
  return new URLSearchParams(text.split('?', 2)[1])
}

function hostOf(text: string): string {
  const [, host = ''] = /^[^/]+:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:@]*)/.exec(text) ?? []
  return decodeURIComponent(host.replace(/^\[|\]$/g, ''))
}
