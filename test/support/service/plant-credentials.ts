import type { IncomingHttpHeaders } from 'node:http'
import { plantSecret } from '../audit/kept-logs.ts'

/** What a request shows, or its answer gives, that no log may have: keys, cookies, CSRF tokens, passwords. */
export function plantCredentials(
  headers: Readonly<Record<string, string | readonly string[] | number | undefined>> | IncomingHttpHeaders,
  body: unknown,
): void {
  for (const [name, value] of Object.entries(headers)) {
    for (const text of [value].flat()) if (typeof text === 'string') plantHeader(name.toLowerCase(), text)
  }
  plantMembers(body)
}

function plantHeader(name: string, text: string): void {
  if (name === 'authorization') plantKey(text.replace(/^Bearer +/i, ''))
  if (name === 'x-service-api-key' || name === 'x-service-admin-key') plantKey(text)
  if (name === 'x-service-csrf') plantSecret(text)
  if (name === 'cookie') for (const pair of text.split(/; */)) plantSecret(afterName(pair))
  if (name === 'set-cookie') plantSecret(afterName(text.split(';')[0] ?? ''))
}

/** The id before the dot is in logs and lists on purpose. */
function plantKey(key: string): void {
  const [, secret] = /^a[gpmd]k_[^.]*\.(.*)$/s.exec(key) ?? [null, /^a[gpmd]k_/.test(key) ? '' : key]
  if (secret) plantSecret(secret)
}

function afterName(pair: string): string {
  return pair.slice(pair.indexOf('=') + 1)
}

function plantMembers(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== 'string') plantMembers(member)
    else if (name === 'api_key') plantKey(member)
    else if (name === 'password' || name === 'csrf_token') plantSecret(member)
  }
}
