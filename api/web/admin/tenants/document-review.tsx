import { useState } from 'react'
import type { Issue } from '../../../../shared/contract/base/errors.ts'
import type { JsonObject } from '../../../../shared/contract/base/json.ts'
import { limits } from '../../../../shared/contract/base/limits.ts'
import { ProblemError } from '../../lib/call.ts'
import { TextDiff } from '../../panels/diff/text-diff.tsx'
import { IssueList } from '../../panels/json/issue-list.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import type { DocumentEditorProps } from './edited-document.ts'

interface DocumentReviewProps extends DocumentEditorProps {
  draft: JsonObject
  text: string
  warnings: readonly Issue[]
  /** Returns to editing. `refused` is the error of a failed save, or null. */
  onBack(refused: Error | null): void
}

export function DocumentReview({
  what,
  current,
  draft,
  text,
  warnings,
  save,
  onSaved,
  onBack,
}: DocumentReviewProps) {
  const [note, setNote] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const submit = async (): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      onSaved(await save(draft, note.trim(), current.revision))
    } catch (refused) {
      setBusy(false)
      if (isAbout(refused, 'validation_failed')) onBack(refused as Error)
      else setError(refused as Error)
    }
  }
  const next = current.revision + 1
  return (
    <Card
      title={current.revision === 0 ? `Save the first ${what}` : `Save revision ${next}`}
      hint="It governs every proposal from then on; what was decided before stays as it was decided."
    >
      <div className="flex flex-col gap-4">
        <IssueList
          tone="warn"
          issues={warnings.map(warning => ({ ...warning, line: null }))}
          onJump={() => undefined}
        />
        <TextDiff
          before={current.text}
          after={text}
          labels={[
            current.revision === 0 ? 'Nothing' : `Revision ${current.revision}, in force`,
            'Your draft',
          ]}
        />
        <Field label="Why (optional)" hint="It is recorded with the revision." className="max-w-2xl">
          <TextInput
            maxLength={limits.change_note_length_max}
            value={note}
            onChange={event => setNote(event.currentTarget.value)}
          />
        </Field>
        {error && <ProblemNote error={error} />}
        {isAbout(error, 'revision_mismatch') && (
          <p className="text-sm text-soft">
            Somebody saved another revision meanwhile. What you see above is compared with it as soon as it is
            read; save again if your draft is still right.
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={() => onBack(null)}>Back to the text</Button>
          <Button variant="primary" busy={busy} onClick={() => void submit()}>
            {current.revision === 0 ? `Save the ${what}` : `Save revision ${next}`}
          </Button>
        </div>
      </div>
    </Card>
  )
}

function isAbout(error: unknown, code: ProblemError['problem']['code']): boolean {
  return error instanceof ProblemError && error.problem.code === code
}
