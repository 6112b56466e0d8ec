import type { Request, Response } from 'express'
import type { Cookie } from '../handlers/handler.ts'

/**
 * Cookies that no other host of the domain may set, because each binds a sign-in to its browser. The specification
 * names the other cookies without a prefix.
 */
const ofHost: ReadonlySet<Cookie['name']> = new Set(['service_sign_in', 'service_operator_sign_in'])

function nameOf(name: Cookie['name'], secure: boolean): string {
  return secure && ofHost.has(name) ? `__Host-${name}` : name
}

/**
 * Returns a cookie's value; null if it is missing or has several values, because another host may have set one of
 * them.
 */
export function readCookie(request: Request, name: Cookie['name'], secure = false): string | null {
  const given = (request.headers.cookie ?? '').split(';').flatMap(pair => {
    const [key, value] = pair.split('=')
    return key?.trim() === nameOf(name, secure) && value !== undefined ? [value.trim()] : []
  })
  const [value, ...others] = new Set(given)
  return others.length === 0 ? value || null : null
}

/** Sets cookies with the attributes of specification.md#hosted-accounts, and expires those without a value. */
export function setCookies(
  response: Response,
  cookies: readonly Cookie[],
  { secure, basePath }: { secure: boolean; basePath: string },
): void {
  for (const { name, value, ms_max } of cookies) {
    const age = value === null ? 0 : Math.floor(ms_max / 1000)
    const sent = nameOf(name, secure)
    // Browsers accept the prefix only for the path `/`.
    const path = sent.startsWith('__Host-') ? '/' : basePath || '/'
    const lasting = [...(secure ? ['Secure'] : []), `Max-Age=${age}`]
    const attributes = [`Path=${path}`, 'HttpOnly', 'SameSite=Lax', ...lasting]
    response.append('set-cookie', [`${sent}=${value ?? ''}`, ...attributes].join('; '))
  }
}
