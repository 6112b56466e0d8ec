import { useState } from 'react'
import type { Issue } from '../../../../shared/contract/base/errors.ts'
import type { JsonObject } from '../../../../shared/contract/base/json.ts'
import type { CallInput } from '../../lib/call.ts'
import { readDraft } from '../../lib/policy/read-draft.ts'
import { useAct } from '../../lib/query.tsx'
import { TextDiff } from '../../panels/diff/text-diff.tsx'
import { JsonEditor } from '../../panels/json/json-editor.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { useSay } from '../../ui/toast.tsx'
import { issuesUnder } from '../parts/problem-issues.ts'

type Body = NonNullable<CallInput<'replace_actuators'>['body']>

export function ActuatorEditor({
  tenantId,
  start,
  onClose,
}: {
  tenantId: string
  start: string
  onClose(): void
}) {
  const [text, setText] = useState(start)
  const [own, setOwn] = useState<Issue[]>([])
  const [reviewed, setReviewed] = useState<JsonObject | null>(null)
  const replace = useAct('replace_actuators', { stale: ['read_actuators'] })
  const say = useSay()
  const review = (): void => {
    const read = readDraft(text)
    setOwn(read.ok ? [] : [read.issue])
    if (read.ok) setReviewed(read.value)
  }
  const save = (actuators: JsonObject): void =>
    replace.mutate(
      // The cast is safe because the service validates the body and reports each issue with its path.
      { params: { tenant_id: tenantId }, body: actuators as unknown as Body },
      {
        onSuccess: ({ warnings }) => {
          say({ title: 'The actuators are replaced', tone: 'good' })
          for (const { path, message } of warnings) say({ title: `${path}: ${message}`, tone: 'plain' })
          onClose()
        },
        onError: () => setReviewed(null),
      },
    )
  const issues = own.length > 0 ? own : issuesUnder(replace.error, '')
  return (
    <Card
      title="Edit the actuators"
      hint="What you save replaces the whole list, for the next proposal and the next execution."
    >
      <div className="flex flex-col gap-4">
        {reviewed ? (
          <TextDiff before={start} after={text} labels={['Registered now', 'Your draft']} />
        ) : (
          <JsonEditor
            label="Actuators as JSON"
            value={text}
            onChange={next => {
              setText(next)
              setOwn([])
              replace.reset()
            }}
            issues={issues}
          />
        )}
        <p className="text-sm text-soft">
          Secrets do not belong here: settings name environment variables of the workers (ACTUATOR_…).
        </p>
        {replace.error && issues.length === 0 && <ProblemNote error={replace.error} />}
        <Buttons
          busy={replace.isPending}
          onReview={review}
          onSave={reviewed && (() => save(reviewed))}
          onLeave={reviewed ? () => setReviewed(null) : onClose}
        />
      </div>
    </Card>
  )
}

function Buttons({
  busy,
  onReview,
  onSave,
  onLeave,
}: {
  busy: boolean
  onReview(): void
  /** Null until the person has reviewed the differences. */
  onSave: (() => void) | null
  onLeave(): void
}) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button onClick={onLeave}>{onSave ? 'Back' : 'Cancel'}</Button>
      {onSave ? (
        <Button variant="primary" busy={busy} onClick={onSave}>
          Replace the actuators
        </Button>
      ) : (
        <Button variant="primary" onClick={onReview}>
          Review
        </Button>
      )}
    </div>
  )
}
