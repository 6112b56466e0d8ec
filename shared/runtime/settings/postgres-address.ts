import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'

/** A Postgres address and its TLS options, parsed here so that every driver connects in the same way. */
export interface PostgresAddress {
  /** The URL without its TLS parameters, because each driver would read these parameters differently. */
  connectionString: string
  ssl: false | ConnectionOptions
}

/**
 * The accepted values of `sslmode`. TLS is always verified in full: a known authority and the right host. Modes
 * that check less, or that let the server decide, are refused.
 */
const modes = ['disable', 'require', 'verify-full']

const files = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const

const noFollower =
  'name one host: a proxy, a DNS name or a virtual address that follows the primary (api/docs/deploy.md#one-address)'

export function postgresRefusal(text: string): string | null {
  const [, hosts = ''] = /^[^/]+:\/\/(?:[^/?#]*@)?([^/?#@]*)(?=[/?#]|$)/.exec(text) ?? []
  if (hosts.includes(',') || /[?&]host=[^&]*,/.test(text)) return `several hosts are not taken: ${noFollower}`
  if (/[?&]target_session_attrs=/.test(text)) return `target_session_attrs is not taken: ${noFollower}`
  const mode = parametersOf(text).get('sslmode') ?? 'disable'
  return modes.includes(mode) ? null : `sslmode must be ${modes.join(', ')}, not ${mode}`
}

/** Returns the connection options of a Postgres URL. Throws if a file that the URL names cannot be read. */
export function postgresAddress(text: string): PostgresAddress {
  const parameters = parametersOf(text)
  const named = Object.entries(files).filter(([parameter]) => parameters.has(parameter))
  const mode = parameters.get('sslmode') ?? (named.length > 0 ? 'verify-full' : 'disable')
  const host = parameters.get('host') ?? hostOf(text)
  const connectionString = withoutParameters(text)
  if (mode === 'disable' || host.startsWith('/')) return { connectionString, ssl: false }
  const read = named.flatMap(([parameter, option]) => {
    const path = parameters.get(parameter) as string
    // The value `system` comes from libpq. Here it selects the authorities that node trusts.
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
