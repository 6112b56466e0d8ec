import { type ReactNode, useRef, useState } from 'react'
import type { DecisionResponse, Trace } from '../../../../shared/contract/action/action.ts'
import { ProblemError, UnreachableError } from '../../lib/call.ts'
import { approveLabel, effectWords, missingWords } from '../../lib/policy/quorum.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Countdown } from '../../ui/countdown.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { EffectiveRisk } from '../effective-risk.tsx'
import { DescribedAction } from '../trace/described-action.tsx'
import { RequestLine } from '../trace/planned-request.tsx'
import { AllValues } from './all-values.tsx'
import { DecidedNote } from './decided-note.tsx'
import { useDesk } from './desk.ts'
import type { HeldView } from './held-detail.tsx'
import { useQuorum } from './use-quorum.ts'

export type DecisionKind = 'approve' | 'reject'

export interface DecisionDialogProps {
  kind: DecisionKind
  view: HeldView
  trace: Trace
  open: boolean
  online: boolean
  onClose(): void
  onDecided(response: DecisionResponse): void
  /** Returns the element to focus after closing. Null focuses the element that opened the dialog. */
  finalFocus(): HTMLElement | null
}

const noteMax = 2_000
const words = {
  approve: {
    title: 'Approve this action?',
    lead: effectWords,
    opening: 'The service will call ',
    note: 'Note (optional)',
  },
  reject: {
    title: 'Reject this action?',
    lead: () => 'Nothing is executed. The agent learns that it was rejected, and can read your reason.',
    opening: 'The agent asks to call ',
    note: 'Reason (optional)',
    button: 'Reject',
  },
} as const

export function DecisionDialog(props: DecisionDialogProps) {
  const { kind, view, trace, open, online, onClose, onDecided, finalFocus } = props
  const [note, setNote] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const act = useDecision(kind)
  const { params } = useDesk()
  const { title, lead } = words[kind]
  const seen = useQuorum(view.approvals)
  const undecided = !act.isPending && !act.isSuccess
  const decide = (): void => {
    const given = note.trim() === '' ? {} : { note: note.trim() }
    const deciding = act.mutateAsync({
      params: { ...params, action_id: view.action_id },
      body: kind === 'approve' ? { ...given, ...approvedContent(view) } : given,
      headers: { prefer: 'wait=1' },
    })
    // Calls `onDecided` even if an event has closed this dialog first. `act.error` shows a problem.
    deciding.then(onDecided, () => undefined)
  }
  const told = { open, onClose, finalFocus }
  if (undecided && view.status !== 'pending_approval') return <TooLate {...told} trace={trace} />
  if (undecided && kind === 'approve' && seen?.own)
    return <Told {...told} title="Your approval is given" lead={missingWords(seen)} />
  return (
    <Dialog
      open={open}
      onClose={() => !act.isPending && onClose()}
      dismissible={!act.isPending}
      wide
      title={title}
      description={lead(seen)}
      initialFocus={field}
      finalFocus={finalFocus}
      footer={
        <Choices
          label={kind === 'approve' ? approveLabel(view.approvals) : words.reject.button}
          kind={kind}
          busy={act.isPending}
          failed={act.isError}
          onClose={onClose}
          onDecide={decide}
        />
      }
    >
      <div className="flex flex-col gap-4">
        <Decided view={view} kind={kind} />
        <Field label={words[kind].note}>
          <TextArea
            ref={field}
            value={note}
            maxLength={noteMax}
            rows={3}
            onKeyDown={event => {
              const decides = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
              if (decides && !act.isPending) decide()
            }}
            onChange={event => setNote(event.currentTarget.value)}
          />
        </Field>
        {!online && <Offline kind={kind} />}
        {act.error && <Failed error={act.error} kind={kind} />}
      </div>
    </Dialog>
  )
}

/** Returns the digests of the content on screen. The service rejects an approval if the content has changed. */
function approvedContent({ verdict: { proposal_hash, request_hash } }: HeldView) {
  return { proposal_hash, ...(request_hash === undefined ? {} : { request_hash }) }
}

function useDecision(kind: DecisionKind) {
  const { requests } = useDesk()
  const stale = [requests.list, requests.groups, requests.read, 'list_owned_actions'] as const
  const approve = useAct(requests.approve, { stale })
  const reject = useAct(requests.reject, { stale })
  return kind === 'approve' ? approve : reject
}

function Decided({ view, kind }: { view: HeldView; kind: DecisionKind }) {
  const { action_id, proposal, verdict, expires_at } = view
  const { requests, params } = useDesk()
  const { data: review } = useCall(requests.review, { params: { ...params, action_id } })
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-4">
      <DescribedAction
        action={proposal.action}
        checks={verdict.checks}
        reviewed={review?.reviewed}
        opening={words[kind].opening}
      />
      <AllValues parameters={proposal.action.parameters} />
      {verdict.request && <RequestLine request={verdict.request} />}
      <div className="flex flex-wrap items-center gap-3 text-sm">
        <EffectiveRisk risk={verdict.effective_risk} />
        {expires_at && <Countdown at={expires_at} />}
      </div>
      <div>
        <p className="text-sm text-soft">
          Digest of exactly this proposal
          {kind === 'approve' && '. Your approval counts for it and for nothing else'}.
        </p>
        <DigestLine digest={verdict.proposal_hash} what="Proposal digest" />
      </div>
      {verdict.request_hash && (
        <div>
          <p className="text-sm text-soft">
            Digest of what is sent for it{kind === 'approve' && '. Anything else is not sent'}.
          </p>
          <DigestLine digest={verdict.request_hash} what="Request digest" />
        </div>
      )}
    </div>
  )
}

function DigestLine({ digest, what }: { digest: string; what: string }) {
  return (
    <p className="flex items-start gap-1">
      <code className="min-w-0 pt-1.5 font-mono text-[0.8125rem] break-all">{digest}</code>
      <CopyButton text={digest} what={what} bare />
    </p>
  )
}

interface ChoicesProps {
  label: string
  kind: DecisionKind
  busy: boolean
  failed: boolean
  onClose(): void
  onDecide(): void
}

function Choices({ label, kind, busy, failed, onClose, onDecide }: ChoicesProps) {
  return (
    <>
      <Button onClick={onClose} disabled={busy}>
        Cancel
      </Button>
      <Button variant={kind === 'approve' ? 'primary' : 'danger'} busy={busy} onClick={onDecide}>
        {failed ? `Try again: ${label.toLowerCase()}` : label}
      </Button>
    </>
  )
}

function Offline({ kind }: { kind: DecisionKind }) {
  return (
    <p role="status" className="rounded-lg bg-warn-wash px-4 py-3 text-warn">
      You are offline. Your {kind === 'approve' ? 'approval' : 'rejection'} stays here until you send it.
    </p>
  )
}

function Failed({ error, kind }: { error: Error; kind: DecisionKind }) {
  if (error instanceof UnreachableError)
    return (
      <p role="alert" className="rounded-lg bg-bad-wash px-4 py-3 text-bad">
        The service did not answer, so it is not known whether your decision arrived. It is kept here: try
        again, nothing is {kind === 'approve' ? 'executed' : 'decided'} twice.
      </p>
    )
  if (error instanceof ProblemError && mismatches.has(error.problem.code))
    return (
      <p role="alert" className="rounded-lg bg-bad-wash px-4 py-3 text-bad">
        The service holds something else than what you saw, so nothing was approved. Close this and read it
        again.
      </p>
    )
  return <ProblemNote error={error} />
}

const mismatches: ReadonlySet<string> = new Set(['proposal_mismatch', 'request_mismatch'])

const late = {
  own: { title: 'Your decision had arrived', lead: 'Nothing is left to do here.' },
  other: {
    title: 'This was decided meanwhile',
    lead: 'Your own decision was not taken, and changed nothing.',
  },
  expired: { title: 'The time is over', lead: 'It can no longer be decided. Nothing was executed.' },
} as const

type ToldProps = Pick<DecisionDialogProps, 'open' | 'onClose' | 'finalFocus'>

/**
 * Explains why the action is already decided: the time ran out, another person decided, or this person's own
 * decision was recorded but its response was lost.
 */
function TooLate({ trace, ...told }: ToldProps & { trace: Trace }) {
  const { person } = useDesk()
  const own = person !== null && person.id === trace.approval?.principal.id
  return (
    <Told {...told} {...late[trace.approval?.decision === 'expired' ? 'expired' : own ? 'own' : 'other']}>
      <DecidedNote trace={trace} />
    </Told>
  )
}

/**
 * Says that nothing is left to decide, so that an approval given in another tab or by a key is not requested
 * again.
 */
function Told({
  title,
  lead,
  open,
  onClose,
  finalFocus,
  children,
}: ToldProps & { title: string; lead: string; children?: ReactNode }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      description={lead}
      finalFocus={finalFocus}
      footer={
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      {children}
    </Dialog>
  )
}
