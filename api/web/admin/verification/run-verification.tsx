import { type FormEvent, useState } from 'react'
import type { Issue } from '../../../../shared/contract/base/errors.ts'
import type { CallInput } from '../../lib/call.ts'
import { draftText, readDraft } from '../../lib/policy/read-draft.ts'
import { useAct } from '../../lib/query.tsx'
import { JsonEditor } from '../../panels/json/json-editor.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Choice, Field } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { useSay } from '../../ui/toast.tsx'
import { issuesUnder } from '../parts/problem-issues.ts'
import { emptyQuestion, QuestionFields, questionBody } from './question-fields.tsx'

type Body = NonNullable<CallInput<'verify_tenant_policy'>['body']>
type Way = 'builtin' | 'question' | 'json'

const ways: readonly { value: Way; label: string }[] = [
  { value: 'question', label: 'One question' },
  { value: 'builtin', label: 'The built-in findings' },
  { value: 'json', label: 'Questions as JSON' },
]

export function RunVerification({ tenantId }: { tenantId: string }) {
  const [way, setWay] = useState<Way>('question')
  const [question, setQuestion] = useState(emptyQuestion)
  const [text, setText] = useState(example)
  const [own, setOwn] = useState<Issue[]>([])
  const verify = useAct('verify_tenant_policy', { stale: ['list_verifications'] })
  const say = useSay()
  const run = (body: Body): void =>
    verify.mutate(
      { params: { tenant_id: tenantId }, body },
      {
        onSuccess: ({ result }) =>
          say({ title: `Done: ${result}`, tone: result === 'verified' ? 'good' : 'plain' }),
      },
    )
  /** Returns null and shows the issue if the text is not JSON. */
  const bodyOf = (chosen: Way): Body | null => {
    if (chosen === 'builtin') return {}
    if (chosen === 'question') return questionBody(question)
    const read = readDraft(text)
    setOwn(read.ok ? [] : [read.issue])
    return read.ok ? (read.value as unknown as Body) : null
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const body = bodyOf(way)
    if (body) run(body)
  }
  const issues = own.length > 0 ? own : issuesUnder(verify.error, '')
  return (
    <Card title="Verify what is in force" hint="Of every proposal that anybody could send, not of samples">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="What to ask" className="sm:max-w-80">
          <Choice<Way> options={ways} value={way} onChoose={setWay} />
        </Field>
        {way === 'builtin' && (
          <p className="text-sm text-soft">
            Looks for operations that nothing bounds, rules that contradict each other and the like.
          </p>
        )}
        {way === 'question' && (
          <QuestionFields tenantId={tenantId} question={question} onChange={setQuestion} />
        )}
        {way === 'json' && (
          <JsonEditor label="Verification request as JSON" value={text} onChange={setText} issues={issues} />
        )}
        {verify.error && (way !== 'json' || issues.length === 0) && <ProblemNote error={verify.error} />}
        <Button type="submit" variant="primary" busy={verify.isPending} className="self-start">
          Verify
        </Button>
      </form>
    </Card>
  )
}

const example = draftText({
  forbidden: [{ name: 'a refund above 500 without a person', decision: 'allow', operation: 'refund' }],
  required: [],
})
