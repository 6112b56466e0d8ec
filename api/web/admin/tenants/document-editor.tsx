import { useState } from 'react'
import type { Issue } from '../../../../shared/contract/base/errors.ts'
import type { JsonObject } from '../../../../shared/contract/base/json.ts'
import { readDraft } from '../../lib/policy/read-draft.ts'
import { JsonEditor } from '../../panels/json/json-editor.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { issuesUnder } from '../parts/problem-issues.ts'
import { DocumentReview } from './document-review.tsx'
import type { DocumentEditorProps } from './edited-document.ts'

interface Reviewed {
  draft: JsonObject
  warnings: readonly Issue[]
}

export function DocumentEditor(props: DocumentEditorProps) {
  const { what, start, current, check } = props
  const [text, setText] = useState(start)
  const [own, setOwn] = useState<Issue[]>([])
  const [error, setError] = useState<Error | null>(null)
  const [reviewed, setReviewed] = useState<Reviewed | null>(null)
  const [busy, setBusy] = useState(false)

  const review = async (): Promise<void> => {
    const read = readDraft(text)
    setOwn(read.ok ? [] : [read.issue])
    setError(null)
    if (!read.ok) return
    setBusy(true)
    try {
      setReviewed({ draft: read.value, warnings: await check(read.value) })
    } catch (refused) {
      setError(refused as Error)
    } finally {
      setBusy(false)
    }
  }
  const edit = (refused: Error | null): void => {
    setReviewed(null)
    setError(refused)
  }
  if (reviewed) return <DocumentReview {...props} {...reviewed} text={text} onBack={edit} />
  const issues = own.length > 0 ? own : issuesUnder(error, what)
  return (
    <Card
      title={current.revision === 0 ? `New ${what}` : `Edit the ${what}`}
      hint="Nothing changes before you have seen the difference and saved it."
    >
      <div className="flex flex-col gap-4">
        <JsonEditor
          label={`The ${what} as JSON`}
          value={text}
          onChange={next => {
            setText(next)
            setOwn([])
            setError(null)
          }}
          issues={issues}
        />
        {error && issues.length === 0 && <ProblemNote error={error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={props.onCancel}>Cancel</Button>
          <Button variant="primary" busy={busy} onClick={() => void review()}>
            Check and review
          </Button>
        </div>
      </div>
    </Card>
  )
}
