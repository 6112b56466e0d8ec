import type { Regression } from '../../../../shared/contract/action/verdict.ts'
import type { Issue } from '../../../../shared/contract/base/errors.ts'
import type { JsonObject } from '../../../../shared/contract/base/json.ts'

export interface Saved {
  revision: number
  warnings: readonly Issue[]
  regressions: readonly Regression[]
}

export interface DocumentEditorProps {
  what: 'policy' | 'catalog'
  /** The document in force. Its revision is 0 if the tenant has none. */
  current: { text: string; revision: number }
  start: string
  /** Returns the warnings about a draft. Throws if the draft is invalid. */
  check(draft: JsonObject): Promise<readonly Issue[]>
  save(draft: JsonObject, note: string, revision: number): Promise<Saved>
  onSaved(saved: Saved): void
  onCancel(): void
}
