import type { Request } from 'express'
import { ServiceError } from '../../shared/contract/base/errors.ts'

/**
 * Refuse a request that a page of another site makes a browser send: `Origin`, where given, is the service's own, and
 * `Sec-Fetch-Site`, where given, is that of its own pages or of a person's own doing.
 */
export function refuseOtherSites(request: Request, baseUrl: string): void {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  const ownOrigin = origin === undefined || isOwn(origin, request, baseUrl)
  const ownSite = site === undefined || site === 'same-origin' || site === 'none'
  if (!ownOrigin || !ownSite) throw new ServiceError('cross_site_request')
}

/**
 * Refuse a request for another host: a page whose own name was made to lead here (DNS rebinding). The host is that of the
 * base URL, or a loopback name; without a base URL, a service on a loopback address takes loopback names alone.
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
 * Compared whole, with scheme and port, with the base URL where that is one. Without it only the host is known: a proxy
 * that ends TLS does not always say so.
 */
function isOwn(origin: string, request: Request, baseUrl: string): boolean {
  if (URL.canParse(baseUrl)) return new URL(baseUrl).origin === origin
  if (!URL.canParse(origin)) return false
  const { host, origin: whole } = new URL(origin)
  return whole === origin && host === request.host.toLowerCase()
}

/** Whether cookies are for encrypted connections only: always, but on plain loopback, where somebody tries the service. */
export function needsSecureCookies(request: Request, baseUrl: string): boolean {
  const loopback = /^(127\.0\.0\.1|localhost|\[::1\])$/i.test(request.hostname)
  return !loopback || request.secure || baseUrl.startsWith('https:')
}
