import { describe, expect, it } from 'vitest'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import { trusted } from './export-builder.ts'
import type { Refused } from './export-changes.ts'

/** Files that the verifier refuses, by what they are wrong in: each at the check, and for the reason, that it names. */
export function describeRefusals(groups: Readonly<Record<string, readonly Refused[]>>): void {
  describe.each(Object.entries(groups))('refused: %s', (_, cases) => {
    it.each(cases)('%s', (...[, bytes, check, problem, more = {}]) => {
      const found = verifyExport(bytes, { trusted, ...more })
      expect(found.outcome).toBe('invalid')
      expect(found.problem).toMatch(problem)
      expect(found.checks.at(-1)).toEqual({ name: check, status: 'failed', reason: found.problem })
    })
  })
}
