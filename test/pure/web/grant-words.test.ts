import { describe, expect, test } from 'vitest'
import { boundsInWords, boundsOf } from '../../../api/web/lib/policy/grant-words.ts'

describe('the bounds of a grant', () => {
  test('begin with numbers up to those of the action, and everything else as it is', () => {
    const parameters = { amount: 50, order: { id: 'A-1', lines: [1, 2] }, 'a.b': 1, express: false }
    expect(boundsOf(parameters)).toEqual({
      amount: { max: 50 },
      'order.id': { equals: 'A-1' },
      'order.lines': { equals: [1, 2] },
      express: { equals: false },
    })
  })

  test.each([
    [{ amount: { max: 50 } }, 'amount at most 50'],
    [{ amount: { min: 1, max: 50 }, kind: { equals: 'a' } }, 'amount at least 1 and at most 50, kind is "a"'],
    [{ kind: { one_of: ['a', null] } }, 'kind one of "a", null'],
    [{ kind: { required: true } }, 'kind is there'],
  ])('are said in words: %o', (constraints, words) => {
    expect(boundsInWords({ constraints })).toBe(words)
  })
})
