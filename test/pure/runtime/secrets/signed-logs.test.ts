import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSignedLogs, type SignedLog } from '../../../../shared/runtime/secrets/signed-logs.ts'

let directory: string
let path: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signed-logs-'))
  path = join(directory, 'signed-logs')
})
afterEach(() => rmSync(directory, { recursive: true }))

const signed = (size: number, log_id = 'log_a'): SignedLog => ({ log_id, size, root: Buffer.alloc(32, size) })

describe('what was signed', () => {
  it('is known after a restart, the last of each log', () => {
    const logs = openSignedLogs(path)
    logs.remember([signed(1), signed(9, 'log_b')])
    logs.remember([signed(2)])
    const again = openSignedLogs(path)
    expect([again.last('log_a'), again.last('log_b'), again.last('log_c')]).toEqual([
      signed(2),
      signed(9, 'log_b'),
      undefined,
    ])
  })

  it('is known to every process that shares the file', () => {
    const [one, other] = [openSignedLogs(path), openSignedLogs(path)]
    one.remember([signed(1)])
    other.remember([signed(2)])
    expect(one.last('log_a')).toEqual(signed(2))
    one.remember([signed(3)])
    expect(other.last('log_a')).toEqual(signed(3))
  })

  it('takes a file that stays small, also for those that share it', () => {
    const [one, other] = [openSignedLogs(path), openSignedLogs(path)]
    for (let size = 1; size <= 12_000; size += 1) one.remember([signed(size)])
    expect(statSync(path).size).toBeLessThan(200_000)
    expect(other.last('log_a')?.size).toBe(12_000)
    expect(openSignedLogs(path).last('log_a')?.size).toBe(12_000)
  })

  it('is not what a crash cut off, and what follows is not joined to it', () => {
    openSignedLogs(path).remember([signed(1)])
    appendFileSync(path, 'log_a 2 AAAA')
    const logs = openSignedLogs(path)
    expect(logs.last('log_a')).toEqual(signed(1))
    logs.remember([signed(3)])
    expect(openSignedLogs(path).last('log_a')).toEqual(signed(3))
  })

  it('is kept in memory where there is no file', () => {
    const logs = openSignedLogs(null)
    logs.remember([signed(4)])
    expect(logs.last('log_a')).toEqual(signed(4))
  })
})

describe('a process does not start with', () => {
  it.each(['nonsense\n', 'log_a -1 AAAA\n', `log_a 1 ${'A'.repeat(44)}\n`, '\n'])(
    'a file that holds %j',
    text => {
      writeFileSync(path, text)
      expect(() => openSignedLogs(path)).toThrow('holds a line that is none of its own')
    },
  )

  it('a file that it cannot write', () => {
    expect(() => openSignedLogs(join(directory, 'missing', 'signed-logs'))).toThrow('ENOENT')
  })
})
