import { describe, expect, it } from 'vitest'
import { isOutage, tookTooLong } from '../../../shared/runtime/outage.ts'

function failure(code: string, cause?: unknown): Error {
  return Object.assign(new Error(code, { cause }), { code })
}

describe('an outage', () => {
  it.each([
    ['40001', 'serialization'],
    ['40P01', 'deadlock'],
    ['53300', 'too many connections'],
    ['53100', 'disk full'],
    ['57014', 'statement timeout'],
    ['57P01', 'shutdown'],
    ['55P03', 'lock timeout'],
    ['08006', 'connection'],
    ['25006', 'a stand-by'],
    ['CONNECTION_CLOSED', 'the driver'],
    ['CONNECT_TIMEOUT', 'the driver'],
    ['ECONNREFUSED', 'the system'],
    ['ECONNRESET', 'the system'],
  ])('%s (%s) is one', code => {
    expect(isOutage(failure(code))).toBe(true)
  })

  it.each(['23505', '23514', '22021', '42P01', '55000', 'ERR_ASSERTION', 'XX000', ''])('%s is none', code => {
    expect(isOutage(failure(code))).toBe(false)
  })

  it('is none without a code, and none that is not an error', () => {
    expect(isOutage(new Error('40001'))).toBe(false)
    expect(isOutage({ code: '40001' })).toBe(false)
    expect(isOutage(undefined)).toBe(false)
  })

  it('is found behind the error that a library wraps around it', () => {
    expect(isOutage(new Error('Failed query: select 1', { cause: failure('57014') }))).toBe(true)
    expect(isOutage(new Error('Failed query: select 1', { cause: failure('23505') }))).toBe(false)
  })
})

describe('a statement that took too long', () => {
  it('is told from other outages', () => {
    expect(tookTooLong(failure('57014'))).toBe(true)
    expect(tookTooLong(new Error('Query read timeout'))).toBe(true)
    expect(tookTooLong(failure('57P01'))).toBe(false)
    expect(tookTooLong(undefined)).toBe(false)
  })
})
