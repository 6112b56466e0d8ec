import { useState } from 'react'
import type { Issue } from '../../../../shared/contract/base/errors.ts'
import type { JsonObject } from '../../../../shared/contract/base/json.ts'
import type { ToolTested, ToolView } from '../../../../shared/contract/configuration/tool-import.ts'
import { draftText, type ReadDraft, readDraft } from '../../lib/policy/read-draft.ts'
import { useAct } from '../../lib/query.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Choice, Field } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { ForeignJson } from '../json/foreign-json.tsx'
import { IssueList } from '../json/issue-list.tsx'
import { JsonEditor } from '../json/json-editor.tsx'
import { ParameterFields } from './parameter-fields.tsx'
import { useToolPlace } from './tool-place.ts'

export interface TryOperationProps {
  system: string
  operations: ToolView['operations']
}

/** Shows the planned request and sends it once as a test. The test creates no action. */
export function TryOperation({ system, operations }: TryOperationProps) {
  const { requests, params } = useToolPlace()
  const ordered = [...operations].sort((one, other) => Number(other.safe) - Number(one.safe))
  const [chosen, setChosen] = useState(ordered[0]?.operation ?? '')
  const [text, setText] = useState('{}')
  const [confirmed, setConfirmed] = useState(false)
  const [own, setOwn] = useState<Issue[]>([])
  const test = useAct(requests.test)
  const { safe = false, entry = null } = operations.find(({ operation }) => operation === chosen) ?? {}
  const draft = readDraft(text)
  const forget = (): void => {
    test.reset()
    setOwn([])
  }
  const send = (): void => {
    setOwn(draft.ok ? [] : [draft.issue])
    if (!draft.ok) return
    const body = { operation: chosen, parameters: draft.value, confirm: confirmed && !safe }
    test.mutate({ params: { ...params, system }, body })
  }
  if (operations.length === 0) return null
  return (
    <Card
      title="Try it"
      hint="One real call in your name. No policy decides it. It is recorded as a test, and it is not repeated."
    >
      <div className="flex flex-col gap-4">
        <Field label="Operation" className="max-w-md">
          <Choice
            options={ordered.map(({ operation }) => ({ value: operation, label: operation }))}
            value={chosen}
            onChoose={operation => {
              forget()
              setConfirmed(false)
              setChosen(operation)
              setText('{}')
            }}
          />
        </Field>
        <Parameters
          schema={entry?.parameter_schema ?? null}
          text={text}
          draft={draft}
          issues={own}
          onText={next => {
            forget()
            setText(next)
          }}
        />
        {!safe && <Confirmation confirmed={confirmed} onConfirm={setConfirmed} />}
        {test.error && <ProblemNote error={test.error} />}
        <div className="flex justify-end">
          <Button variant="primary" busy={test.isPending} onClick={send}>
            {safe || confirmed ? 'Call it' : 'Show the request'}
          </Button>
        </div>
        {test.data && <Tested tested={test.data} />}
      </div>
    </Card>
  )
}

function Confirmation({ confirmed, onConfirm }: { confirmed: boolean; onConfirm(confirmed: boolean): void }) {
  return (
    <label className="flex items-start gap-3 text-sm">
      <input
        type="checkbox"
        checked={confirmed}
        onChange={event => onConfirm(event.currentTarget.checked)}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      It may change something downstream. Call it all the same.
    </label>
  )
}

/** Shows a field per parameter. A JSON editor beside them accepts values that no field can express. */
function Parameters({
  schema,
  text,
  draft,
  issues,
  onText,
}: {
  /** Null if the catalog has no entry for the operation. */
  schema: JsonObject | null
  text: string
  draft: ReadDraft
  issues: Issue[]
  onText(text: string): void
}) {
  return (
    <div className="grid items-start gap-5 xl:grid-cols-2">
      {schema &&
        (draft.ok ? (
          <ParameterFields
            schema={schema}
            parameters={draft.value}
            onChange={parameters => onText(draftText(parameters))}
          />
        ) : (
          <p className="text-soft">The fields come back once the JSON is put right.</p>
        ))}
      <div>
        <p aria-hidden className="mb-1.5 text-sm font-medium">
          Parameters as JSON
        </p>
        <JsonEditor label="Parameters as JSON" value={text} lines={12} onChange={onText} issues={issues} />
      </div>
    </div>
  )
}

const outcomes: Readonly<Record<NonNullable<ToolTested['verdict']>['outcome'], Tone>> = {
  executed: 'good',
  accepted: 'info',
  failed: 'bad',
  unknown: 'odd',
  not_sent: 'warn',
  busy: 'warn',
}

const notCalled: Readonly<Record<Exclude<ToolTested['sent'], 'called'>, string>> = {
  not_confirmed: 'It was not called: it may change something downstream.',
  frozen: 'It was not called: a freeze matches it.',
  no_worker: 'It was not called: no live worker that has its credentials took it. Try again once one runs.',
  too_many: 'It was not called: other test calls are under way. Try again when they have ended.',
  outside_schema: 'It was not called: the parameters are outside the schema of the catalog.',
}

function Tested({ tested: { sent, verdict, request, answer, problems } }: { tested: ToolTested }) {
  return (
    <section aria-label="What came of it" className="flex flex-col gap-4 border-t border-line pt-4">
      <p role="status" className="flex flex-wrap items-center gap-2">
        {verdict && <Badge tone={outcomes[verdict.outcome]}>{verdict.outcome}</Badge>}
        <span className="min-w-0 break-words">
          {verdict ? <ForeignText text={`${verdict.message} (${verdict.rule})`} /> : null}
          {sent !== 'called' && notCalled[sent]}
        </span>
      </p>
      <IssueList
        tone="bad"
        issues={problems.map(problem => ({ ...problem, line: null }))}
        onJump={() => undefined}
      />
      <div>
        <h3 className="mb-1.5 text-sm font-medium">Request</h3>
        <ForeignJson value={request} label="Request" />
      </div>
      {answer && (
        <div>
          <h3 className="mb-1.5 text-sm font-medium">Answer</h3>
          <ForeignJson value={answer} label="Answer" />
        </div>
      )}
    </section>
  )
}
