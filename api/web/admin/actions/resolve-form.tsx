import { type FormEvent, useState } from 'react'
import type { ResolutionRequest, Trace } from '../../../../shared/contract/action/action.ts'
import { readDraft } from '../../lib/policy/read-draft.ts'
import { useAct } from '../../lib/query.tsx'
import { TriangleAlert } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextArea, TextInput } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { useSay } from '../../ui/toast.tsx'
import { OutcomeChoice } from './outcome-choice.tsx'
import { ResolveConfirm } from './resolve-confirm.tsx'

interface Draft {
  outcome: ResolutionRequest['outcome'] | null
  note: string
  evidence: string
  detail: string
}

/**
 * Records the outcome of an action. Asks for a second confirmation, because the outcome cannot be changed later.
 */
export function ResolveForm({ trace }: { trace: Trace }) {
  const [draft, setDraft] = useState<Draft>({ outcome: null, note: '', evidence: '', detail: '' })
  const [asked, setAsked] = useState<ResolutionRequest | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const resolve = useAct('resolve_action', { stale: ['read_tenant_action', 'read_queue', 'list_jobs'] })
  const say = useSay()
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part })

  const review = (event: FormEvent): void => {
    event.preventDefault()
    const request = requestOf(draft)
    setRefused(typeof request === 'string' ? request : null)
    if (typeof request !== 'string') setAsked(request)
  }
  const record = async (body: ResolutionRequest): Promise<void> => {
    const params = { tenant_id: trace.tenant_id, action_id: trace.action_id }
    // The success message is a toast, because this form disappears once the action is settled.
    const recorded = await resolve.mutateAsync({ params, body }).catch(() => null)
    setAsked(null)
    if (recorded) say({ title: 'Recorded. The action is settled.', tone: 'good' })
  }
  return (
    <form onSubmit={review} className="flex max-w-2xl flex-col gap-4">
      <OutcomeChoice outcome={draft.outcome} onChoose={outcome => change({ outcome })} />
      {draft.outcome === 'execution_failed' && <LateWarning />}
      <Notes draft={draft} change={change} />
      {refused && (
        <p role="alert" className="text-sm font-medium text-bad">
          {refused}
        </p>
      )}
      {resolve.error && <ProblemNote error={resolve.error} />}
      <Button type="submit" variant="primary" className="self-start">
        Review and record
      </Button>
      <ResolveConfirm
        request={asked}
        trace={trace}
        busy={resolve.isPending}
        onClose={() => setAsked(null)}
        onRecord={request => void record(request)}
      />
    </form>
  )
}

/** Warns that "failed" promises that the action has no later effect either. */
function LateWarning() {
  return (
    <p
      role="status"
      className="flex items-start gap-3 rounded-lg border border-warn/40 bg-warn-wash px-4 py-3 text-sm text-warn"
    >
      <TriangleAlert className="mt-0.5 size-5 shrink-0" aria-hidden />
      <span>
        Say this only when the action cannot happen any more: after the credential of the actuator was
        disabled, or where the system refuses what arrives so late. A call that is still on its way may have
        its effect later.
      </span>
    </p>
  )
}

function Notes({ draft, change }: { draft: Draft; change(part: Partial<Draft>): void }) {
  return (
    <>
      <Field label="How did you find out?" hint="Required. The audit keeps it for good.">
        <TextArea
          required
          maxLength={2_000}
          value={draft.note}
          onChange={event => change({ note: event.currentTarget.value })}
        />
      </Field>
      <Field label="Where is the evidence? (optional)" hint="A ticket, a transaction of the system.">
        <TextInput
          maxLength={2_000}
          value={draft.evidence}
          onChange={event => change({ evidence: event.currentTarget.value })}
        />
      </Field>
      {draft.outcome === 'executed' && (
        <Field
          label="Result as JSON (optional)"
          hint='What the system answered, such as {"refund_id": "re_42"}.'
        >
          <TextArea
            spellCheck={false}
            className="font-mono text-sm"
            value={draft.detail}
            onChange={event => change({ detail: event.currentTarget.value })}
          />
        </Field>
      )}
    </>
  )
}

/** Returns the request, or a sentence that names the missing or invalid field. */
function requestOf({ outcome, note, evidence, detail }: Draft): ResolutionRequest | string {
  if (outcome === null) return 'Choose what became of it.'
  if (note.trim() === '') return 'Say how you found out.'
  const given = outcome === 'executed' && detail.trim() !== '' ? readDraft(detail) : undefined
  if (given && !given.ok) return `The result is not a JSON object: ${given.issue.message}`
  return {
    outcome,
    note: note.trim(),
    ...(evidence.trim() === '' ? {} : { evidence: evidence.trim() }),
    ...(given ? { detail: given.value } : {}),
  }
}
