import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Express, Request, Response } from 'express'
import { sha256 } from '../../shared/canon/digest.ts'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import { productRoot } from '../../shared/product-root.ts'
import type { Config } from '../../shared/runtime/settings/config.ts'
import { basePathOf } from './base-path.ts'
import { type Coding, codingFor } from './compressed.ts'
import { entityTags } from './read-input.ts'

interface PageFile {
  type: string
  bytes: Buffer
  /** A weak tag, since the compressed forms share it. */
  etag: string
  coded: Partial<Record<Coding, Buffer>>
}

type Fail = (request: Request, response: Response, error: unknown) => void

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
  '.woff2': 'font/woff2',
  '.yml': 'text/plain; charset=utf-8',
}
const codings = { br: '.br', gzip: '.gz' } as const

/**
 * Allows no inline code, no foreign source and no text that a script could turn into markup
 * (specification.md#web-pages). The one trusted-types policy names the notification worker's script and creates
 * nothing else.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types notices-worker',
].join('; ')

/**
 * Serves `/app`, `/admin`, `/approve`, `/docs` and their files under `/ui/` from memory
 * (specification.md#endpoints, Public). The pages route on the client. Without hosted accounts `/app` says so.
 */
export function mountPages(app: Express, { hosted_accounts: hosted, base_url }: Config, fail: Fail): void {
  const files = readFiles(fileURLToPath(new URL('dist/web/', productRoot)), basePathOf(base_url))
  mountFrontPage(app, base_url, files.get('front.html'))
  const pages = {
    '/app': hosted ? 'app.html' : 'off.html',
    '/admin': 'admin.html',
    '/approve': 'approve.html',
  }
  for (const [path, name] of Object.entries(pages)) {
    app.all([path, `${path}/{*route}`], (request, response) => {
      sendPage({ request, response, file: files.get(name), fail }, path)
    })
  }
  app.all(['/docs', '/docs/:name'], (request, response) => {
    const { name = 'index' } = request.params
    const isPage = /^[a-z][a-z-]*$/.test(String(name))
    sendPage({ request, response, file: isPage ? files.get(`docs/${name}.html`) : undefined, fail }, '/docs')
  })
  app.all('/ui/{*file}', (request, response) => {
    response.locals.route = '/ui'
    const name = ([] as string[]).concat(request.params.file ?? []).join('/')
    const file = name.endsWith('.html') ? undefined : files.get(name)
    if (!file) return fail(request, response, new ServiceError('not_found'))
    const named = name.startsWith('assets/')
    response.setHeader('cache-control', named ? 'public, max-age=31536000, immutable' : 'no-cache')
    sendFile({ request, response, file, fail })
  })
}

const exampleUrl = 'http://127.0.0.1:8080'

/** Serves `GET /` as a page for people. Programs, which do not ask for HTML, get 404. */
function mountFrontPage(app: Express, baseUrl: string, page: PageFile | undefined): void {
  const text = page?.bytes.toString()
  const addressIn = (request: Request) =>
    URL.canParse(baseUrl) ? baseUrl : `${addressOf(request)}${baseUrl}`
  app.get('/', (request, response, next) => {
    if (text === undefined || request.accepts('application/problem+json', 'text/html') !== 'text/html')
      return next()
    response.locals.route = '/'
    const bytes = Buffer.from(text.replaceAll(exampleUrl, addressIn(request)))
    response.setHeader('content-security-policy', contentSecurityPolicy)
    response.setHeader('cache-control', 'no-cache')
    response.setHeader('vary', 'accept')
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader('content-length', bytes.length)
    response.end(request.method === 'HEAD' ? undefined : bytes)
  })
}

/**
 * Returns the address that the browser used. A Host that is not plainly a host is left out, so that it cannot add
 * markup.
 */
function addressOf({ protocol, headers: { host = '' } }: Request): string {
  return /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:.]+\](:\d{1,5})?$/.test(host)
    ? `${protocol}://${host}`
    : exampleUrl
}

interface Sending<File> {
  request: Request
  response: Response
  file: File
  fail: Fail
}

function sendPage(sending: Sending<PageFile | undefined>, route: string): void {
  const { request, response, file, fail } = sending
  response.locals.route = route
  if (!file) fail(request, response, new ServiceError('not_found', 'there is no such page'))
  else {
    response.setHeader('content-security-policy', contentSecurityPolicy)
    response.setHeader('cache-control', 'no-cache')
    sendFile({ request, response, file, fail })
  }
}

function sendFile({ request, response, file, fail }: Sending<PageFile>): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    fail(request, response, new ServiceError('method_not_allowed', 'this path has GET, HEAD'))
    return
  }
  response.setHeader('vary', 'accept-encoding')
  response.setHeader('etag', file.etag)
  if (entityTags(request.get('if-none-match')).includes(file.etag.replace('W/', ''))) {
    response.status(304).end()
    return
  }
  const coding = codingFor(request)
  const coded = coding === null ? undefined : file.coded[coding]
  const bytes = coded ?? file.bytes
  if (coded) response.setHeader('content-encoding', String(coding))
  response.setHeader('content-type', file.type)
  response.setHeader('content-length', bytes.length)
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

function etagOf(bytes: Buffer): string {
  return `W/"${sha256(bytes).toString('hex').slice(0, 32)}"`
}

function readFiles(folder: string, basePath: string): Map<string, PageFile> {
  const files = new Map<string, PageFile>()
  for (const path of listFiles(folder)) {
    const type = types[extname(path)]
    if (!type) continue
    const coded = Object.entries(codings).flatMap(([coding, suffix]) => {
      const bytes = readIfThere(path + suffix)
      return bytes ? [[coding, bytes]] : []
    })
    const name = relative(folder, path).split(sep).join('/')
    const bytes = readFileSync(path)
    const isMoved = basePath !== '' && name.endsWith('.html')
    const file = isMoved ? moved(bytes, basePath) : { bytes, coded: Object.fromEntries(coded) }
    files.set(name, { type, etag: etagOf(file.bytes), ...file })
  }
  return files
}

/** Rewrites the addresses in a page to begin with the base path, and compresses it again. */
function moved(page: Buffer, basePath: string): Pick<PageFile, 'bytes' | 'coded'> {
  const text = page.toString().replaceAll(/\b(href|src|data-search)="\//g, `$1="${basePath}/`)
  const bytes = Buffer.from(text)
  return { bytes, coded: { gzip: gzipSync(bytes) } }
}

function listFiles(folder: string): string[] {
  const entries = unlessMissing(() => readdirSync(folder, { withFileTypes: true, recursive: true })) ?? []
  return entries.flatMap(entry => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []))
}

function readIfThere(path: string): Buffer | null {
  return unlessMissing(() => readFileSync(path))
}

function unlessMissing<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
