import type { Request } from 'express'
import { ServiceError } from '../../shared/contract/base/errors.ts'

/**
 * Refuses a request that another site's page makes a browser send: `Origin`, if present, must be the service's
 * own, and `Sec-Fetch-Site`, if present, must be `same-origin` or `none`.
 */
export function refuseOtherSites(request: Request, baseUrl: string): void {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  const ownOrigin = origin === undefined || isOwn(origin, request, baseUrl)
  const ownSite = site === undefined || site === 'same-origin' || site === 'none'
  if (!ownOrigin || !ownSite) throw new ServiceError('cross_site_request')
}

/**
 * Refuses a request for another host, because a foreign name may lead here (DNS rebinding). The host must be that
 * of the base URL or a loopback name. Without a base URL, a service on a loopback address accepts loopback names
 * only.
 */
export function refuseOtherHosts(request: Request, baseUrl: string): void {
  if (isLoopback(request.hostname)) return
  if (URL.canParse(baseUrl) && new URL(baseUrl).host === request.host.toLowerCase()) return
  if (!URL.canParse(baseUrl) && !isLoopback(request.socket.localAddress ?? '')) return
  throw new ServiceError('cross_site_request', 'the Host is not one of this service')
}

function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|localhost|\[?::1\]?|::ffff:127(\.\d{1,3}){3})$/i.test(host)
}

/**
 * Compares the origin with the base URL, including scheme and port. Without a base URL only the host counts,
 * because a proxy that ends TLS may not say so.
 */
function isOwn(origin: string, request: Request, baseUrl: string): boolean {
  if (URL.canParse(baseUrl)) return new URL(baseUrl).origin === origin
  if (!URL.canParse(origin)) return false
  const { host, origin: whole } = new URL(origin)
  return whole === origin && host === request.host.toLowerCase()
}

/**
 * Returns true if cookies need an encrypted connection: always except on plain loopback, where people try the
 * service.
 */
export function needsSecureCookies(request: Request, baseUrl: string): boolean {
  const loopback = /^(127\.0\.0\.1|localhost|\[::1\])$/i.test(request.hostname)
  return !loopback || request.secure || baseUrl.startsWith('https:')
}
