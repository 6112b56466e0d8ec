import type { Request, Response } from 'express'
import type { Cookie } from '../handlers/handler.ts'

/** The value of a cookie; null where it is not given, or given with several values: somebody else set one of them. */
export function readCookie(request: Request, name: Cookie['name']): string | null {
  const given = (request.headers.cookie ?? '').split(';').flatMap(pair => {
    const [key, value] = pair.split('=')
    return key?.trim() === name && value !== undefined ? [value.trim()] : []
  })
  const [value, ...others] = new Set(given)
  return others.length === 0 ? value || null : null
}

/** Set cookies with the attributes of specification.md#hosted-accounts; for a cleared one the browser is told that it is over. */
export function setCookies(response: Response, cookies: readonly Cookie[], secure: boolean): void {
  for (const { name, value, ms_max } of cookies) {
    const age = value === null ? 0 : Math.floor(ms_max / 1000)
    const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : []), `Max-Age=${age}`]
    response.append('set-cookie', [`${name}=${value ?? ''}`, ...attributes].join('; '))
  }
}
