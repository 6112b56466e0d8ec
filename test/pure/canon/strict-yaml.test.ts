import { describe, expect, it } from 'vitest'
import { parseStrictYaml } from '../../../shared/canon/strict-yaml.ts'

describe('what is admitted', () => {
  it.each([
    ['a: 1\nb: [x, true, null, 1.5e3]', { a: 1, b: ['x', true, null, 1500] }],
    ['{"a": {"b": "c"}}', { a: { b: 'c' } }],
    ['on: yes\nversion: "1"\nday: 2026-11-21', { on: 'yes', version: '1', day: '2026-11-21' }],
    ['a: &x {b: 1}\nc: *x', { a: { b: 1 }, c: { b: 1 } }],
    ['text: |\n  one\n  two\n', { text: 'one\ntwo\n' }],
    ['', null],
  ])('%j', (text, value) => {
    expect(parseStrictYaml(Buffer.from(text))).toEqual({ ok: true, value })
  })
})

describe('what is refused', () => {
  it.each([
    { text: 'a: 1\na: 2', code: 'invalid_yaml', message: /unique.*line 2/ },
    { text: 'a: [1', code: 'invalid_yaml', message: /line 1/ },
    { text: 'a: 1\n---\nb: 2', code: 'invalid_yaml', message: /multiple documents/ },
    { text: 'a: !!binary aGk=', code: 'invalid_yaml', message: /tag/ },
    { text: 'a: *nowhere', code: 'invalid_yaml', message: /alias/i },
    { text: 'a: &a [*a]', code: 'invalid_yaml', message: /./ },
    { text: billionLaughs(), code: 'invalid_yaml', message: /alias/i },
    { text: 'a: 1\n2: x', code: 'name_not_text', message: /line 2/ },
    { text: '? {a: 1}\n: x', code: 'name_not_text', message: /quotes/ },
    { text: 'a: 9007199254740993', code: 'number_out_of_range', message: /line 1/ },
    { text: 'a:\n  - .inf', code: 'number_out_of_range', message: /line 2/ },
    { text: 'a:\n  b: 1e400', code: 'number_out_of_range', message: /line 2/ },
    { text: 'a: .nan', code: 'number_out_of_range', message: /line 1/ },
    { text: 'a:\n  __proto__: {b: 1}', code: 'forbidden_key', path: 'a' },
    { text: 'a: ["x\\0y"]', code: 'nul_character', path: 'a[0]' },
    { text: 'a: "\\ud800"', code: 'lone_surrogate', path: 'a' },
    { text: `a: ${'['.repeat(70)}${']'.repeat(70)}`, code: 'too_deep', message: /64/ },
  ])('$code: $text', ({ text, code, message, path }) => {
    const read = parseStrictYaml(Buffer.from(text))
    if (read.ok) throw new Error(`read as ${JSON.stringify(read.value)}`)
    expect(read.issue.code).toBe(code)
    if (message) expect(read.issue.message).toMatch(message)
    if (path) expect(read.issue.path).toContain(path)
  })

  it('bytes that are not UTF-8', () => {
    const read = parseStrictYaml(Buffer.from([0x61, 0x3a, 0x20, 0xff]))
    expect(read).toMatchObject({ ok: false, issue: { code: 'invalid_utf8' } })
  })
})

/** Each level stands nine times for the one before it. */
function billionLaughs(): string {
  const levels = Array.from({ length: 9 }, (_, index) => {
    const items = Array(9).fill(index === 0 ? 'ha' : `*l${index - 1}`)
    return `l${index}: &l${index} [${items.join(', ')}]`
  })
  return levels.join('\n')
}
