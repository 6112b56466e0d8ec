import { StrictJsonRefusal, StrictReader } from '../../../../shared/canon/strict-reader.ts'
import type { Issue } from '../../../../shared/contract/base/errors.ts'
import type { JsonObject } from '../../../../shared/contract/base/json.ts'
import { seenJson } from '../suspicious.ts'
import { lineAt } from './line-of-path.ts'

export interface PlacedIssue extends Issue {
  line: number | null
}

export type ReadDraft = { ok: true; value: JsonObject } | { ok: false; issue: PlacedIssue }

/**
 * Parses a draft as strictly as the service does. A duplicate name or a number that loses precision is an error.
 */
export function readDraft(text: string): ReadDraft {
  try {
    const value = new StrictReader(text).read()
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { ok: true, value }
    return refused({ path: '', code: 'invalid_type', message: 'must be an object' }, 1)
  } catch (error) {
    if (!(error instanceof StrictJsonRefusal)) throw error
    const { path, code, message, at } = error
    return refused({ path, code, message }, lineAt(text, tokenFrom(text, at)))
  }
}

/** Returns a document as text for editing. Escapes invisible characters. */
export function draftText(value: object): string {
  return seenJson(JSON.stringify(value, null, 2))
}

/** Skips white space, because the parser may stop at the white space before the invalid token. */
function tokenFrom(text: string, at: number): number {
  return at + (/^\s*/.exec(text.slice(at, at + 1_000))?.[0].length ?? 0)
}

function refused(issue: Issue, line: number): ReadDraft {
  return { ok: false, issue: { ...issue, line } }
}
