import { useRef, useState } from 'react'
import type { CommentKind } from '../../../../shared/contract/action/comment-schema.ts'
import { limits } from '../../../../shared/contract/base/limits.ts'
import { useAct } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { RadioCard } from '../../ui/radio-card.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { useDesk } from './desk.ts'
import type { HeldView } from './held-detail.tsx'

export interface CommentDialogProps {
  view: HeldView
  open: boolean
  onClose(): void
}

/** Sends a comment on a held action, or asks its agent for changes. The action stays held. */
export function CommentDialog({ view, open, onClose }: CommentDialogProps) {
  const { requests, params } = useDesk()
  const [kind, setKind] = useState<CommentKind>('comment')
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const act = useAct(requests.comment, { stale: [requests.list, requests.read] })
  const isEmpty = text.trim() === ''
  const send = (): void => {
    if (isEmpty || act.isPending) return
    const body = { kind, text: text.trim() }
    const sent = act.mutateAsync({ params: { ...params, action_id: view.action_id }, body })
    const done = () => {
      setText('')
      onClose()
    }
    sent.then(done, () => undefined)
  }
  return (
    <Dialog
      open={open}
      onClose={() => !act.isPending && onClose()}
      dismissible={!act.isPending}
      title="Comment"
      description="It stays held until somebody decides. The agent can read what you write."
      initialFocus={field}
      footer={
        <>
          <Button onClick={onClose} disabled={act.isPending}>
            Cancel
          </Button>
          <Button variant="primary" busy={act.isPending} disabled={isEmpty} onClick={send}>
            {kind === 'comment' ? 'Comment' : 'Ask for changes'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <KindChoice kind={kind} onChoose={setKind} />
        <Field label="Text">
          <TextArea
            ref={field}
            value={text}
            maxLength={limits.note_length_max}
            rows={3}
            onKeyDown={event => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send()
            }}
            onChange={event => setText(event.currentTarget.value)}
          />
        </Field>
        {act.error && <ProblemNote error={act.error} />}
      </div>
    </Dialog>
  )
}

const kinds = [
  { value: 'comment', title: 'Comment', hint: 'For everybody who decides about it.' },
  {
    value: 'change_request',
    title: 'Ask for changes',
    hint: 'The agent is asked to withdraw it and to propose something else.',
  },
] as const

function KindChoice({ kind, onChoose }: { kind: CommentKind; onChoose(kind: CommentKind): void }) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">Kind</legend>
      {kinds.map(({ value, title, hint }) => (
        <RadioCard
          key={value}
          group="comment-kind"
          value={value}
          title={title}
          chosen={kind === value}
          onChoose={() => onChoose(value)}
        >
          {hint}
        </RadioCard>
      ))}
    </fieldset>
  )
}
