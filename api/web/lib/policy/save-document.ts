import { useState } from 'react'
import { type Answered, type CallInput, call, ProblemError } from '../call.ts'
import { useRefresh } from '../query.tsx'
import type { DocumentDraft } from './document-draft.ts'

const rows = {
  policy: {
    put: 'replace_owned_policy',
    stale: ['read_owned_policy', 'list_owned_policy_revisions', 'read_owned_integration'],
  },
  catalog: {
    put: 'revise_owned_catalog',
    stale: ['read_owned_catalog', 'list_owned_catalog_revisions'],
  },
} as const
type Kind = keyof typeof rows
type Saved<Of extends Kind> = Answered<(typeof rows)[Of]['put']>

export interface DocumentSaver<Saved> {
  busy: boolean
  error: Error | null
  /** True if another revision has replaced the revision that the draft started from. */
  outdated: boolean
  reset(): void
  /** Saves the draft; resolves to null if the save failed. */
  save(note: string): Promise<Saved | null>
}

/**
 * Saves a draft as a new revision if its base revision is still in force. Otherwise sets `outdated` and reads the
 * newer revision. A saved draft is dropped before anything is read, because the new revision would look like
 * another person's change.
 */
export function useSaveDocument<Of extends Kind>(
  kind: Of,
  tenantId: string,
  draft: DocumentDraft,
): DocumentSaver<Saved<Of>> {
  const { put, stale } = rows[kind]
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const refresh = useRefresh()
  const store = async (value: object, note: string): Promise<Saved<Of> | null> => {
    const input = {
      params: { tenant_id: tenantId },
      body: { [kind]: value, ...(note === '' ? {} : { change_note: note }) },
      headers: { 'if-match': `"${draft.base.revision}"` },
    }
    try {
      const answer = await call(put, input as unknown as CallInput<typeof put>)
      draft.drop()
      return answer as Saved<Of>
    } catch (problem) {
      setError(problem as Error)
      return null
    }
  }
  return {
    busy,
    error,
    outdated: error instanceof ProblemError && error.problem.code === 'revision_mismatch',
    reset: () => setError(null),
    async save(note: string): Promise<Saved<Of> | null> {
      if (!draft.read.ok) return null
      setBusy(true)
      const saved = await store(draft.read.value, note)
      await refresh(stale)
      setBusy(false)
      return saved
    },
  }
}
