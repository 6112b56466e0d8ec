import { DrizzleQueryError } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../shared/runtime/telemetry/logger.ts'

function logged(entry: object): string {
  const lines: string[] = []
  createLogger('info', { write: line => lines.push(line) }).info(entry, 'said')
  return lines.join('')
}

describe('the log', () => {
  it('is one line of JSON with an ISO time, whatever was said', () => {
    const text = logged({ detail: 'first\nsecond \u001b[31m' })
    expect(text.trim().split('\n')).toHaveLength(1)
    const line = JSON.parse(text)
    expect(line).toMatchObject({ detail: 'first\nsecond \u001b[31m', msg: 'said' })
    expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('tells of an error what it is and where, and not what it was about', () => {
    const about = { code: '23514', detail: 'Failing row contains (planted)', parameters: ['planted'] }
    const line = JSON.parse(logged({ err: Object.assign(new Error('refused'), about) }))
    expect(line.err).toEqual({ type: 'Error', message: 'refused', code: '23514', stack: line.err.stack })
    expect(line.err.stack).toContain('logger.test')
  })

  it('tells of a statement that failed what it was and why, and not its values', () => {
    const failed = new DrizzleQueryError(
      'insert into keys values ($1)',
      ['planted\n$&'],
      new Error('no room'),
    )
    const text = logged({ err: new Error('not minted', { cause: failed }) })
    expect(text).not.toContain('planted')
    expect(JSON.parse(text).err).toMatchObject({
      message: 'not minted: Failed query: insert into keys values ($1): no room',
      stack: expect.stringMatching(/caused by: .*insert into keys.*caused by: Error: no room/s),
    })
  })

  it('tells of an error that is its own cause', () => {
    const error = new Error('round')
    error.cause = error
    expect(JSON.parse(logged({ err: error })).err).toMatchObject({ type: 'Error' })
  })

  it.each(['api_key', 'authorization', 'cookie', 'parameters'])('blanks %s, also one level down', name => {
    expect(logged({ [name]: 'planted', request: { [name]: 'planted' } })).not.toContain('planted')
  })
})
