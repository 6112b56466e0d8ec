import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withoutSealing } from '../bench/groups/sealing.ts'
import { withEdit } from '../guards/guard.ts'
import { guards } from '../guards/guards.ts'
import { judgeRemoval } from '../guards/judge-removal.ts'
import { repositoryRoot } from '../support/repository-root.ts'

/** Whoever rewords a guarded line learns it here, within minutes. Whether a guard is missed, `npm run guards` tries. */
describe('the table of guards', () => {
  it.each(guards)('$name stands where it is taken away', ({ edits, tests }) => {
    for (const edit of edits) {
      const text = readFileSync(join(repositoryRoot, edit.file), 'utf8')
      expect(withEdit(text, edit)).not.toBe(text)
    }
    expect(tests.filter(file => !existsSync(join(repositoryRoot, file)))).toEqual([])
    expect(tests).not.toEqual([])
  })

  it('names each once, with the invariants that it serves', () => {
    expect(new Set(guards.map(({ name }) => name)).size).toBe(guards.length)
    for (const { invariants } of guards) {
      expect(invariants.filter(number => number < 1 || number > 25)).toEqual([])
      expect(invariants).not.toEqual([])
    }
  })
})

describe('the build that the costs of sealing are measured against', () => {
  it.each(withoutSealing)('is made without what stands in $file', edit => {
    const text = readFileSync(join(repositoryRoot, edit.file), 'utf8')
    expect(withEdit(text, edit)).not.toBe(text)
  })
})

describe('taking a guard away', () => {
  it.each([
    ['does not stand there', 'const a = 1', '0 times'],
    ['stands there twice', 'check(); check()', '2 times'],
  ])('is refused where it %s', (_, text, count) => {
    const edit = { file: 'a.ts', from: 'check()', to: '' }
    expect(() => withEdit(text, edit)).toThrow(`a.ts: this must stand there once, and does ${count}`)
  })

  it('takes what is written literally', () => {
    expect(withEdit('a $1 b', { file: 'a.ts', from: '$1', to: '$&$2' })).toBe('a $&$2 b')
  })
})

describe('a removal', () => {
  const control = new Set(['fences', 'works'])
  const run = {
    passed: ['works'],
    failed: [{ name: 'fences', messages: ['AssertionError: expected 1'] }],
    broken: [],
  }

  it.each([
    'AssertionError: expected 1 to be 2',
    'Error: expected [ 1 ] to deeply equal [ 2 ]',
    'Error: promise resolved "[]" instead of rejecting',
  ])('is noticed by %s', message => {
    expect(judgeRemoval(failing(message), control)).toEqual({ noticed: true, by: ['fences'] })
  })

  it.each([
    ['every test passes', { ...run, failed: [] }, 'every test passed'],
    ['a file could not be loaded', { ...run, broken: ['a.test.ts'] }, 'a.test.ts'],
    ['no test passes', { ...run, passed: [] }, 'took more than the guard'],
    ['a test ran out of time', failing('Error: STACK_TRACE_ERROR'), 'no test that passes with the guard'],
    ['a test fails by something else', failing('Error: still pending'), 'fences: Error: still pending'],
    [
      'a test is new',
      { ...run, failed: [{ name: 'new', messages: ['AssertionError: x'] }] },
      'new: Assertion',
    ],
    ['the product does not run', failing('AssertionError: ReferenceError: a is not defined'), 'does not run'],
    ['a statement is none', failing('PostgresError: syntax error at or near "and"'), 'does not run'],
  ])('is not noticed where %s', (_, run, because) => {
    expect(judgeRemoval(run, control)).toMatchObject({
      noticed: false,
      because: expect.stringContaining(because),
    })
  })

  function failing(message: string) {
    return { passed: ['works'], failed: [{ name: 'fences', messages: [message] }], broken: [] }
  }
})
