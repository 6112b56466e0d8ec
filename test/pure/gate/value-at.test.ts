import { describe, expect, it } from 'vitest'
import { valueAt } from '../../../shared/contract/base/json.ts'

describe('valueAt', () => {
  it.each([
    ['a member', '{"a":1}', ['a'], 1],
    ['a nested member', '{"a":{"b":[1]}}', ['a', 'b'], [1]],
    ['null', '{"a":null}', ['a'], null],
    ['nothing below null', '{"a":null}', ['a', 'b'], undefined],
    ['nothing below a string', '{"a":"text"}', ['a', 'length'], undefined],
    ['nothing below an array', '{"a":[1]}', ['a', '0'], undefined],
    ['no inherited member', '{}', ['constructor'], undefined],
    ['no inherited member of a nested object', '{"a":{}}', ['a', 'toString'], undefined],
    ['no prototype', '{}', ['__proto__'], undefined],
    ['nothing through a prototype', '{}', ['__proto__', 'toString'], undefined],
    ['an own member that is named so', '{"__proto__":{"x":1}}', ['__proto__', 'x'], 1],
  ])('%s', (_name, text, segments, expected) => {
    expect(valueAt(JSON.parse(text), segments)).toEqual(expected)
  })
})
