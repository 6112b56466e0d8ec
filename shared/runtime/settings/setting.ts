import { isIP } from 'node:net'
import { z } from 'zod'
import { parseStrictJson } from '../../canon/strict-json.ts'
import { mcpServerNameSchema, mcpServerSchema } from '../../contract/configuration/mcp-actuator-schema.ts'
import { postgresRefusal } from './postgres-address.ts'

export interface Setting {
  env: string
  /** The default in the form in which it would be set; undefined if there is none. */
  preset: string | undefined
  schema: z.ZodType
  meaning: string
  secret?: true
}

export function row<Schema extends z.ZodType, Preset extends string | undefined>(
  ...[env, preset, schema, meaning]: [env: string, preset: Preset, schema: Schema, meaning: string]
) {
  return { env, preset, schema, meaning }
}

export function secret<Row extends object>(setting: Row): Row & { secret: true } {
  return { ...setting, secret: true }
}

export const count = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
export const flag = z.enum(['true', 'false']).transform(text => text === 'true')

export const serverUrl = (scheme: RegExp) => z.string().regex(scheme).refine(isServerUrl, unclearUrl)

const unclearUrl = 'must be a URL; write / ? # @ % of a password as %2F %3F %23 %40 %25'

export const postgresUrl = z.string().superRefine((text, check) => {
  const message = postgresUrlRefusal(text)
  if (message !== null) check.addIssue({ code: 'custom', message })
})

export function postgresUrlRefusal(text: string): string | null {
  if (!isPostgresUrl(text)) return 'must be a postgres:// URL'
  return postgresRefusal(text) ?? (isServerUrl(text) ? null : unclearUrl)
}

/** Rejects Sentinel addresses, because the service does not ask Sentinel for the primary. */
export const redisUrl = z
  .string()
  .refine(text => !/^[a-z+]*sentinel:/.test(text), {
    error:
      'Sentinel is not asked: name one address that follows the primary (api/docs/deploy.md#one-address)',
    abort: true,
  })
  .pipe(serverUrl(/^rediss?:\/\//))

export const httpUrl = z.url({ protocol: /^https?$/ })
export const name = z.string().max(200)
export const mailbox = z.email().max(254)

/** A size in bytes: `262144`, `256k` or `1m`. */
export const size = z
  .string()
  .regex(/^\d{1,9}[km]?$/i, 'must be bytes, or a number with k or m')
  .transform(
    text => Number.parseInt(text, 10) * ({ k: 1024, m: 1024 ** 2 }[text.slice(-1).toLowerCase()] ?? 1),
  )

export const list = (item: RegExp, message: string) =>
  z
    .string()
    .transform(text => text.split(',').flatMap(part => part.trim() || []))
    .pipe(z.array(z.string().regex(item, message)))

export const keyBytes = z
  .string()
  .regex(/^[A-Za-z0-9+/_-]{43,}={0,2}$/, 'must be 32 bytes or more in base64')
  .transform(text => Buffer.from(text, 'base64'))

export const delays = list(/^\d{1,10}$/, 'must be milliseconds').transform(texts => texts.map(Number))

/** An http(s) URL or a path that precedes all paths of the service, without a final slash. It may be empty. */
export const prefix = z
  .string()
  .max(500)
  .refine(text => text === '' || isBase(text), 'must be an http(s) URL or a path, without ? and #')
  .refine(
    text => text === '' || !isBase(text) || isPlainPath(text),
    'has a path of letters, digits, ".", "_", "~" and "-" that does not begin as one of the service does',
  )
  .transform(text => text.replace(/\/+$/, ''))

function isBase(text: string): boolean {
  return /^(https?:\/\/|\/(?!\/))[^\s?#]*$/.test(text) && URL.canParse(text, 'http://localhost')
}

/**
 * The paths of the service. A base path may not begin with one of these, otherwise nobody could tell whether a
 * proxy has already removed the base path.
 */
export const ownPaths =
  /^\/(v1|app|admin|approve|docs|ui|mcp|health|metrics|schemas|openapi\.(json|yaml))(\/|$)/

function isPlainPath(text: string): boolean {
  const { pathname } = new URL(text, 'http://localhost')
  return /^[\w.~/-]*$/.test(pathname) && !ownPaths.test(pathname)
}

/** A number of hops, or addresses and networks separated by commas or spaces. */
export const proxies = z
  .string()
  .refine(
    text => /^\d{0,2}$/.test(text) || text.split(/[, ]+/).every(part => part === '' || isNetwork(part)),
    'must be a number of hops or addresses',
  )

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || more.length > 0) return false
  if (bits === undefined) return true
  if (/^\d{1,3}$/.test(bits)) return Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128)
  return version === 4 && isIP(bits) === 4 && isMask(bits)
}

function isMask(text: string): boolean {
  const bits = text.split('.').map(part => Number(part).toString(2).padStart(8, '0'))
  return /^1+0*$/.test(bits.join(''))
}

export function namedInJson<Name extends z.ZodType<string, string>, Value extends z.ZodType>(
  name: Name,
  value: Value,
) {
  return z
    .string()
    .transform((text, check): unknown => {
      const read = parseStrictJson(Buffer.from(text))
      if (read.ok) return read.value
      check.addIssue({ code: 'custom', message: `must be JSON: ${read.issue.message}` })
      return z.NEVER
    })
    .pipe(z.record(name, value))
    .transform(named => new Map(Object.entries(named) as [string, z.output<Value>][]))
}

export const mcpServers = namedInJson(mcpServerNameSchema, mcpServerSchema)

/** Returns true if the login in a URL has a clear end, because its special characters are percent-encoded. */
export function isServerUrl(text: string): boolean {
  return parsed(text) !== null
}

export function isPostgresUrl(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place)
}

/**
 * Returns the address of a server without its login and parameters; only a socket's directory is kept. For an
 * unclear URL it returns only the scheme, because the apparent host may be a part of the password.
 */
export function shownAddress(text: string): string {
  const url = parsed(text)
  if (!url || url.search.includes('@')) return `${text.slice(0, text.indexOf('://'))}://…`
  const directory = url.searchParams.get('host')
  return `${url.protocol}//${url.host}${url.pathname}${directory === null ? '' : `?host=${directory}`}`
}

/**
 * Parses a URL. Returns null for an @ after the host, because a password with an unencoded / or # then seems to be
 * the host.
 */
function parsed(text: string): URL | null {
  // Inserts a host after a login without one, as in the address of a socket.
  const withHost = text.replace(/^([^/]+:\/\/[^/?#]*@)(?=\/)/, '$1localhost')
  if (!URL.canParse(withHost)) return null
  const url = new URL(withHost)
  if (/%(?![0-9a-f]{2})/i.test(url.username + url.password)) return null
  return `${url.pathname}${url.hash}`.includes('@') ? null : url
}
