import { readFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repositoryRoot } from '../../support/repository-root.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ worker: null, env: { SERVICE_HOSTED_ACCOUNTS: 'true' } })
})
afterAll(() => service.close())

const built = (name: string) => readFile(join(repositoryRoot, 'dist', 'web', name))

describe.each(['/app', '/app/a/some-tenant/approvals', '/admin', '/admin/queue', '/approve'])('%s', path => {
  test('is a page under a policy that lets nothing inline and nothing from elsewhere in', async () => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types notices-worker',
      ]),
    )
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    const page = await response.text()
    expect(page).not.toMatch(/<script(?![^>]*\ssrc="\/ui\/)/)
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|https?:\/\//)
  })

  test('takes no other method', async () => {
    const response = await fetch(service.url + path, { method: 'POST' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
  })
})

test('where accounts are not hosted, /app says so, and how to have them', async () => {
  const without = await startService({ worker: null })
  try {
    const response = await fetch(`${without.url}/app/approvals`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    const page = await response.text()
    expect(page).toContain('SERVICE_HOSTED_ACCOUNTS=true')
    expect(page).not.toContain('<script')
  } finally {
    await without.close()
  }
})

test('files that a page names are compressed as the browser likes, and kept for good', async () => {
  for (const name of await scriptsOf('app')) {
    const plain = await built(name)
    for (const [coding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const response = await raw(`/ui/${name}`, coding)
      expect(response.headers['content-encoding']).toBe(coding)
      expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable')
      expect(response.headers.vary).toBe('accept-encoding')
      expect(decode(response.body).equals(plain)).toBe(true)
    }
    const response = await raw(`/ui/${name}`, 'identity')
    expect(response.headers['content-encoding']).toBeUndefined()
    expect(response.body.equals(plain)).toBe(true)
  }
})

test.each([
  '/ui/app.html',
  '/ui/..%2fpackage.json',
  '/ui/%2e%2e/%2e%2e/package.json',
  '/ui/assets/..%2f..%2f..%2fpackage.json',
  '/ui/assets/none.js',
  '/ui/assets/%00',
  '/ui',
  '/application',
  '/appx',
  '/admin.html',
])('%s is nothing', async path => {
  const { status, body } = await raw(path, 'identity')
  expect(status).toBe(404)
  expect(JSON.parse(body.toString())).toMatchObject({ code: 'not_found' })
})

test('the first load of /app has at most 250 kB of script, compressed', async () => {
  const sizes = await Promise.all(
    (await scriptsOf('app')).map(async name => gzipSync(await built(name)).length),
  )
  expect(sizes.length).toBeGreaterThan(1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000)
})

/** Every script that the page loads at once: what it names, and what these import without being asked. */
async function scriptsOf(page: 'app' | 'admin'): Promise<string[]> {
  const html = (await built(`${page}.html`)).toString()
  const named = [...html.matchAll(/(?:src|href)="\/ui\/([^"]+\.js)"/g)].flatMap(([, name]) => name ?? [])
  const found = new Set(named)
  for (const name of found) {
    const text = (await built(name)).toString()
    for (const [, imported] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) {
      if (imported) found.add(`assets/${imported}`)
    }
  }
  return [...found]
}

function get(path: string): Promise<Response> {
  return fetch(service.url + path)
}

/** The answer byte for byte, to a path that nothing has tidied. */
function raw(
  path: string,
  coding: string,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers: { 'accept-encoding': coding } }, async response => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part as Buffer)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) })
    })
    sent.once('error', reject)
    sent.end()
  })
}
