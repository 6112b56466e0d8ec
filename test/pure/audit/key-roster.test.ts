import { describe, expect, it } from 'vitest'
import { planKeys, type RosterKey } from '../../../shared/audit/note/key-roster.ts'

const roster = (text: string): RosterKey[] =>
  text.split(' ').flatMap(item => {
    const [key_id = '', status] = item.split(':')
    return status === undefined ? [] : [{ key_id, status: status as RosterKey['status'] }]
  })
const told = (keys: readonly RosterKey[]): string =>
  keys.map(({ key_id, status }) => `${key_id}:${status}`).join(' ')

describe('the keys of a process and those that are known', () => {
  it.each([
    ['the first key', '', ['a'], 'a:active'],
    ['the same again', 'a:active', ['a'], 'a:active'],
    ['a new key beside the old one', 'a:active', ['a', 'b'], 'a:active b:next'],
    ['a process that has not heard of the new key', 'a:active b:next', ['a'], 'a:active b:next'],
    ['the old key is left out', 'a:active b:next', ['b'], 'a:retired b:active'],
    ['replaced at once', 'a:active', ['b'], 'a:retired b:active'],
    ['a third key while the first is retired', 'a:retired b:active', ['b', 'c'], 'a:retired b:active c:next'],
    ['two new keys at once', '', ['a', 'b'], 'a:active b:next'],
  ])('%s', (_, known, own, after) => {
    const planned = planKeys(roster(known), own, [])
    expect(planned.ok && told(planned.value)).toBe(after)
  })

  it('a key that somebody else may have signs no more, and stays so', () => {
    const planned = planKeys(roster('a:active b:next'), ['b'], ['a'])
    expect(planned.ok && told(planned.value)).toBe('a:compromised b:active')
    const retired = planKeys(roster('a:retired b:active'), ['b'], ['a'])
    expect(retired.ok && told(retired.value)).toBe('a:compromised b:active')
    const again = planKeys(roster('a:compromised b:active'), ['b'], [])
    expect(again.ok && told(again.value)).toBe('a:compromised b:active')
  })

  it.each([
    ['retired', 'a:retired b:active', ['a'], []],
    ['retired', 'a:retired b:active', ['a', 'b'], []],
    ['compromised', 'a:compromised', ['a'], []],
    ['compromised', 'a:active', ['a'], ['a']],
  ])('a process does not start with a key that is %s: %s', (status, known, own, compromised) => {
    expect(planKeys(roster(known), own, compromised)).toEqual({
      ok: false,
      error: `the key a is ${status} and signs no more`,
    })
  })
})
