import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toolNameProblems, toolNames } from '../../../shared/mcp/tool-names.ts'

const named = (system: string, operation: string) => ({ system, operation })

describe('the names of tools', () => {
  it('are system and operation, with _ for what clients do not take', () => {
    expect(toolNames([named('payments', 'refund'), named('crm.eu', 'contact:read')])).toEqual([
      'payments__refund',
      'crm_eu__contact_read',
    ])
  })

  it('end in a digest where two would be the same, whatever the order', () => {
    const [one, other] = [named('a', 'b.c'), named('a', 'b_c')]
    const names = toolNames([one, other])
    expect(names.every(name => /^a__b_c_[0-9a-f]{8}$/.test(name))).toBe(true)
    expect(new Set(names).size).toBe(2)
    expect(toolNames([other, one])).toEqual([...names].reverse())
  })

  it('are told at the revision that makes two the same', () => {
    const problems = toolNameProblems([named('a', 'b.c'), named('a', 'b_c'), named('a', 'd')], 'catalog')
    expect(problems.map(({ path, code }) => [path, code])).toEqual([
      ['catalog.a.b.c', 'tool_name_shared'],
      ['catalog.a.b_c', 'tool_name_shared'],
    ])
  })

  it('are taken by every client, and differ, whatever the operations are called', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}$/)
    const operations = fc.uniqueArray(fc.record({ system: part, operation: part }), {
      selector: ({ system, operation }) => `${system} ${operation}`,
      maxLength: 20,
    })
    fc.assert(
      fc.property(operations, given => {
        const names = toolNames(given)
        expect(names.every(name => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true)
        expect(new Set(names).size).toBe(given.length)
      }),
    )
  })
})
