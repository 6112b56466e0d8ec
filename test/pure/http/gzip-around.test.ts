import { createHash, randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { gzipAround } from '../../../api/http/compressed.ts'

it.each([
  ['plain text', '{"id":1,"tools":', '[{"name":"a"}]', '}'],
  ['nothing around it', '', 'x'.repeat(70_000), ''],
  ['an empty part', 'é', '', '…'],
  ['bytes that do not compress', '{', randomBytes(40_000).toString('base64'), '}'],
])('one member of gzip holds %s, and a second time too', (_what, before, shared, after) => {
  const part = Buffer.from(shared)
  for (const start of [before, `${before}${before}`]) {
    const read = gunzipSync(gzipAround(start, part, after)).toString()
    expect(digest(read)).toBe(digest(`${start}${shared}${after}`))
  }
})

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
