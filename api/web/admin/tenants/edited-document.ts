import type { Regression } from '../../../../shared/contract/action/verdict.ts'
import type { Issue } from '../../../../shared/contract/base/errors.ts'
import type { JsonObject } from '../../../../shared/contract/base/json.ts'

/** What came of saving a revision. */
export interface Saved {
  revision: number
  warnings: readonly Issue[]
  regressions: readonly Regression[]
}

export interface DocumentEditorProps {
  what: 'policy' | 'catalog'
  /** What is in force now, and its revision; 0: nothing is. */
  current: { text: string; revision: number }
  /** What editing begins with. */
  start: string
  /** What is odd about a draft; throws what is wrong with it. */
  check(draft: JsonObject): Promise<readonly Issue[]>
  save(draft: JsonObject, note: string, revision: number): Promise<Saved>
  onSaved(saved: Saved): void
  onCancel(): void
}
