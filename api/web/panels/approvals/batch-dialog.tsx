import { type KeyboardEvent, useRef, useState } from 'react'
import type { Trace } from '../../../../shared/contract/action/action.ts'
import type {
  BatchedResult,
  DecisionBatch,
  DecisionResults,
} from '../../../../shared/contract/action/decision-schema.ts'
import type { InboxAction } from '../../../../shared/contract/action/inbox-schema.ts'
import { decisiveFirst } from '../../../../shared/lifecycle/told-values.ts'
import { counted } from '../../lib/format.ts'
import { approveAllLabel } from '../../lib/policy/quorum.ts'
import { useAct, useCalls } from '../../lib/query.tsx'
import { useSeen } from '../../lib/seen.ts'
import { type BatchTable, batchTable } from '../../lib/trace/batch-table.ts'
import { isCut } from '../../lib/trace/describe.ts'
import { leavesIn } from '../../lib/trace/telling-values.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { BatchView } from './batch-view.tsx'
import type { DecisionKind } from './decision-dialog.tsx'
import { type Desk, useDesk } from './desk.ts'

export interface BatchDialogProps {
  kind: DecisionKind
  /** The selected actions when the dialog opened, so that an action that arrives later is never decided unseen. */
  actions: readonly InboxAction[]
  onClose(): void
  onResults(results: DecisionResults): void
}

const noteMax = 2_000
const words = {
  approve: { title: 'Approve', list: 'What will happen' },
  reject: { title: 'Reject', list: 'What will not happen' },
} as const

/** Confirms several decisions. The buttons are enabled after the person has scrolled to the end of the table. */
export function BatchDialog({ kind, actions, onClose, onResults }: BatchDialogProps) {
  const whole = useWhole(actions)
  const end = useEnd(whole.known)
  const ready = whole.known && end.seen
  const [note, setNote] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const { title, list } = words[kind]
  const { act, results, decide } = useBatch({ kind, actions, note, onResults })
  const error = act.error ?? whole.error
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || act.isPending || !ready) return
    event.preventDefault()
    decide()
  }
  if (results) return <BatchEnd results={results} actions={actions} onClose={onClose} />
  return (
    <Dialog
      open
      wide="whole"
      onClose={() => !act.isPending && onClose()}
      dismissible={!act.isPending}
      title={`${title} ${counted(actions.length, 'action')}?`}
      description="Each of these is decided by itself. Anything that arrives in the meantime is not included."
      initialFocus={field}
      footer={
        <>
          <Button onClick={onClose} disabled={act.isPending}>
            Cancel
          </Button>
          <Button
            variant={kind === 'approve' ? 'primary' : 'danger'}
            busy={act.isPending}
            disabled={!ready}
            aria-describedby={ready ? undefined : 'before-the-end'}
            onClick={decide}
          >
            {kind === 'approve' ? approveAllLabel(actions) : `Reject (${actions.length})`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {whole.table ? (
          <BatchView table={whole.table} label={list} ends={end.refs} />
        ) : (
          <p role="status">Reading every value of these actions…</p>
        )}
        <BeforeTheEnd known={whole.known} end={end} />
        <Field label="Note for all (optional)" hint="Ctrl+Enter or ⌘+Enter decides.">
          <TextArea
            ref={field}
            value={note}
            maxLength={noteMax}
            rows={2}
            onKeyDown={press}
            onChange={event => setNote(event.currentTarget.value)}
          />
        </Field>
        {error && <ProblemNote error={error} />}
      </div>
    </Dialog>
  )
}

function useBatch({ kind, actions, note, onResults }: Omit<BatchDialogProps, 'onClose'> & { note: string }) {
  const { requests, params } = useDesk()
  const act = useAct(requests.decide, {
    stale: [requests.list, requests.groups, requests.read, 'list_owned_actions'],
  })
  const [results, setResults] = useState<DecisionResults>()
  const decideAll = async (): Promise<DecisionResults> => {
    const given = note.trim() === '' ? {} : { note: note.trim() }
    const all: DecisionResults[] = []
    for (const [tenant_id, decisions] of decisionsByTenant(actions, kind)) {
      const within = 'tenant_id' in params ? { tenant_id } : {}
      all.push(await act.mutateAsync({ params: within, body: { decisions, ...given } } as never))
    }
    return {
      applied: all.reduce((sum, { applied }) => sum + applied, 0),
      results: all.flatMap(one => one.results),
    }
  }
  const decide = (): void => {
    const tell = (decided: DecisionResults): void => {
      setResults(decided)
      onResults(decided)
    }
    // `act.error` shows a problem. After a retry, decisions that the first attempt recorded come back as decided.
    decideAll().then(tell, () => undefined)
  }
  return { act, results, decide }
}

/** Groups the decisions by application, because one request covers only one application. */
function decisionsByTenant(
  actions: readonly InboxAction[],
  kind: DecisionKind,
): ReadonlyMap<string, DecisionBatch['decisions']> {
  const byTenant = new Map<string, DecisionBatch['decisions']>()
  for (const { tenant_id, action_id, proposal_hash, request_hash } of actions) {
    const decisions = byTenant.get(tenant_id) ?? []
    byTenant.set(tenant_id, decisions)
    decisions.push({
      action_id,
      decision: kind,
      proposal_hash,
      request_hash: request_hash ?? null,
    })
  }
  return byTenant
}

/** Loads the values that the list shortened, so that a person sees all values before deciding. */
function useWhole(actions: readonly InboxAction[]) {
  const { requests, params, applicationOf } = useDesk()
  const cut = actions.filter(({ values, values_more }) => values_more > 0 || leavesIn(values).some(isCut))
  const reads = useCalls(
    requests.read,
    cut.map(({ tenant_id, action_id }) => ({
      params: { ...('tenant_id' in params ? { tenant_id } : {}), action_id },
    })),
  )
  const known = reads.every(({ data }) => data !== undefined)
  // Keeps the first complete table, so that it does not change while the person reads it.
  const table = useRef<BatchTable | null>(null)
  if (known && table.current === null) {
    const wholeOf = new Map(cut.map(({ action_id }, place) => [action_id, reads[place]?.data]))
    const batch = actions.map(action => batchedOf(action, wholeOf.get(action.action_id), applicationOf))
    table.current = batchTable(batch)
  }
  return { known, table: table.current, error: reads.find(({ error }) => error)?.error ?? null }
}

function batchedOf(action: InboxAction, trace: Trace | undefined, applicationOf: Desk['applicationOf']) {
  const application = applicationOf ? applicationOf(action.tenant_id) : null
  const values = trace
    ? decisiveFirst(trace.proposal.action.parameters, trace.verdict.checks).told
    : leavesIn(action.values)
  return { action, application, values }
}

/** Tracks if the last row and the last column have been in view. A button scrolls to the unseen one. */
function useEnd(known: boolean) {
  const [last, seenLast] = useSeen()
  const [right, seenRight] = useSeen()
  const scroller = useRef<HTMLElement>(null)
  const go = (): void => {
    const box = scroller.current
    if (!box) return
    box.scrollLeft = box.scrollWidth
    if (box.lastElementChild instanceof HTMLElement) box.lastElementChild.focus()
  }
  return { seen: known && seenLast && seenRight, seenLast, refs: { scroller, last, right }, go }
}

/** Tells the person, and screen readers, why the buttons are disabled and when they are enabled. */
function BeforeTheEnd({ known, end }: { known: boolean; end: ReturnType<typeof useEnd> }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <p id="before-the-end" role="status">
        {end.seen
          ? 'You have seen the whole table. You can decide now.'
          : `First look at the whole table, to its ${end.seenLast ? 'last column' : 'last row'}. Then you can decide.`}
      </p>
      {known && !end.seen && (
        <Button size="small" onClick={end.go}>
          Go to the end of the table
        </Button>
      )}
    </div>
  )
}

function BatchEnd({
  results: { applied, results },
  actions,
  onClose,
}: {
  results: DecisionResults
  actions: readonly InboxAction[]
  onClose(): void
}) {
  const refused = results.filter(result => !result.applied)
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`${counted(applied, 'decision')} recorded`}
      description={
        refused.length === 0
          ? 'Every decision was recorded. What was approved is executed now; History says what comes of each.'
          : `${refused.length} not recorded:`
      }
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {refused.length > 0 && (
        <ul className="flex flex-col gap-2">
          {refused.map(result => (
            <li key={result.action_id} className="rounded-lg bg-warn-wash px-3 py-2 text-sm text-warn">
              <Refused result={result} action={actions.find(one => one.action_id === result.action_id)} />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}

function Refused({ result, action }: { result: BatchedResult; action: InboxAction | undefined }) {
  const { operation = '', target_system = '' } = action ?? {}
  return (
    <>
      <ForeignText text={operation} /> on <ForeignText text={target_system} />:{' '}
      <ForeignText text={result.detail ?? ''} />
    </>
  )
}
