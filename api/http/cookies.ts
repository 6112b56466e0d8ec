import type { Request, Response } from 'express'
import type { Cookie } from '../handlers/handler.ts'

/**
 * Cookies that no other host of the domain may set: who starts a sign-in is bound by one. The specification names the
 * others, which take no prefix.
 */
const ofHost: ReadonlySet<Cookie['name']> = new Set(['service_sign_in', 'service_operator_sign_in'])

function nameOf(name: Cookie['name'], secure: boolean): string {
  return secure && ofHost.has(name) ? `__Host-${name}` : name
}

/** The value of a cookie; null where it is not given, or given with several values: somebody else set one of them. */
export function readCookie(request: Request, name: Cookie['name'], secure = false): string | null {
  const given = (request.headers.cookie ?? '').split(';').flatMap(pair => {
    const [key, value] = pair.split('=')
    return key?.trim() === nameOf(name, secure) && value !== undefined ? [value.trim()] : []
  })
  const [value, ...others] = new Set(given)
  return others.length === 0 ? value || null : null
}

/** Set cookies with the attributes of specification.md#hosted-accounts; for a cleared one the browser is told that it is over. */
export function setCookies(
  response: Response,
  cookies: readonly Cookie[],
  { secure, basePath }: { secure: boolean; basePath: string },
): void {
  for (const { name, value, ms_max } of cookies) {
    const age = value === null ? 0 : Math.floor(ms_max / 1000)
    const sent = nameOf(name, secure)
    // A browser takes the prefix for the path `/` alone.
    const path = sent.startsWith('__Host-') ? '/' : basePath || '/'
    const lasting = [...(secure ? ['Secure'] : []), `Max-Age=${age}`]
    const attributes = [`Path=${path}`, 'HttpOnly', 'SameSite=Lax', ...lasting]
    response.append('set-cookie', [`${sent}=${value ?? ''}`, ...attributes].join('; '))
  }
}
