import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ErrorCode, errorTable, problemType } from '../../../shared/contract/base/errors.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { startService, type TestService } from '../../support/service/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ worker: null, env: { SERVICE_RATE_LIMIT: '100000' } })
})
afterAll(() => service.close())

const read = async (path: string) => {
  const response = await fetch(service.url + path)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('the documents', () => {
  test('have a page for each file, under the policy of all pages', async () => {
    const files = (await readdir(join(repositoryRoot, 'api/docs'))).filter(name => name.endsWith('.md'))
    expect(files.length).toBeGreaterThan(5)
    for (const name of files) {
      const { status, headers, text } = await read(`/docs/${name.slice(0, -3)}`)
      expect({ name, status }).toEqual({ name, status: 200 })
      expect(headers.get('content-security-policy')).toContain("script-src 'self'; style-src 'self'")
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc="\/ui\/)/)
    }
  })

  test('lead to pages, files and anchors that are there', async () => {
    const paths = new Set(['/docs'])
    const pages = new Map<string, string>()
    for (const from of paths) {
      const { status, text } = await read(from)
      if (status === 200) pages.set(from, text)
      for (const [, path = ''] of text.matchAll(/href="(\/docs\/[\w-]+)/g)) paths.add(path)
    }
    const links = [...pages].flatMap(([from, text]) =>
      [...text.matchAll(/(?:href|src)="((?:\/docs|\/ui\/docs|#)[^"]*)"/g)].map(([, to = '']) => ({
        from,
        to,
      })),
    )
    expect(links.length).toBeGreaterThan(500)
    const files = new Set(links.map(({ to }) => to).filter(to => to.startsWith('/ui/')))
    expect(files.size).toBeGreaterThan(1)
    for (const file of files)
      expect({ file, status: (await read(file)).status }).toEqual({ file, status: 200 })
    const dead = links.filter(({ from, to }) => !to.startsWith('/ui/') && !isThere(pages, from, to))
    expect(dead).toEqual([])
  })

  test.each(['/docs/nothing', '/docs/index.html', '/docs/..%2fapp', '/docs/constructor', '/docs/'])(
    '%s is nothing',
    async path => {
      expect((await read(path)).status).toBe(404)
    },
  )

  test('answer 304 to their own ETag', async () => {
    const { headers } = await read('/docs')
    const again = await fetch(`${service.url}/docs`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
  })
})

test('the type of every problem leads to a paragraph with its code', async () => {
  const answer = await service.call('GET', '/v1/nothing')
  expect(answer.body.type).toBe(problemType('', 'not_found'))
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const [path = '', anchor] = problemType('', code).split('#')
    expect((await read(path)).text).toContain(` id="${anchor}"`)
  }
})

function isThere(pages: ReadonlyMap<string, string>, from: string, to: string): boolean {
  const { pathname, hash } = new URL(to, `http://service${from}`)
  const page = pages.get(pathname)
  return page !== undefined && (hash === '' || page.includes(` id="${hash.slice(1)}"`))
}
