import { describe, expect, it } from 'vitest'
import { readableLine } from '../../../shared/runtime/telemetry/readable-lines.ts'

const line = (said: object) =>
  readableLine(JSON.stringify({ level: 30, time: '2026-11-24T03:04:05.678Z', ...said }))

describe('a line of the log for a person', () => {
  it('begins with time, level and message, and says the rest by name', () => {
    const said = { route: '/v1/actions', method: 'POST', status: 202, ms: 3.2, tenant_id: 'demo', code: null }
    expect(line({ msg: 'request', ...said })).toBe(
      '03:04:05 info  request route=/v1/actions method=POST status=202 ms=3.2 tenant_id=demo\n',
    )
  })

  it('quotes what is no word, and shows an object as JSON', () => {
    expect(line({ msg: 'x', note: 'two words', found: { a: [1] } })).toBe(
      '03:04:05 info  x note="two words" found={"a":[1]}\n',
    )
  })

  it('has the stack of an error below it', () => {
    const err = { message: 'broken', stack: 'Error: broken\n    at here (file.ts:1:2)' }
    expect(line({ level: 50, msg: 'failed', err })).toBe(
      '03:04:05 error failed\n    Error: broken\n    at here (file.ts:1:2)\n',
    )
  })

  it('moves no cursor, begins no line and turns no direction, whoever wrote the value', () => {
    const hostile = 'a\u001b[2J\nb\rc\u009b1A\u2028d\u202ee'
    const err = { stack: `Error: ${hostile}` }
    const text = line({ msg: hostile, name: hostile, [hostile]: hostile, err })
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{C}|\p{Zl}|\p{Zp}/u)
    expect(
      text
        .split('\n')
        .slice(1, -1)
        .every(row => row.startsWith('    ')),
    ).toBe(true)
  })
})
