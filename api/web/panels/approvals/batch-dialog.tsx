import { type KeyboardEvent, useRef, useState } from 'react'
import type { Trace } from '../../../../shared/contract/action/action.ts'
import type {
  BatchedResult,
  DecisionBatch,
  DecisionResults,
} from '../../../../shared/contract/action/decision-schema.ts'
import type { InboxAction } from '../../../../shared/contract/action/inbox-schema.ts'
import { counted } from '../../lib/format.ts'
import { approveAllLabel } from '../../lib/policy/quorum.ts'
import { useAct, useCalls } from '../../lib/query.tsx'
import { describeCall, describeLeaves, isCut } from '../../lib/trace/describe.ts'
import { leavesIn } from '../../lib/trace/telling-values.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { EffectiveRisk } from '../effective-risk.tsx'
import { DescribedAction, Sentence } from '../trace/described-action.tsx'
import { AllValues } from './all-values.tsx'
import type { DecisionKind } from './decision-dialog.tsx'
import { useDesk } from './desk.ts'

export interface BatchDialogProps {
  kind: DecisionKind
  /** As they were when the dialog was opened: what is held meanwhile is not in it. */
  actions: readonly InboxAction[]
  onClose(): void
  onResults(results: DecisionResults): void
}

const noteMax = 2_000
const words = {
  approve: { title: 'Approve', opening: 'The service will call ' },
  reject: { title: 'Reject', opening: 'Not executed: ' },
} as const

/** The last look before several decisions: each with what will happen and its digests, and one note for all. */
export function BatchDialog({ kind, actions, onClose, onResults }: BatchDialogProps) {
  const { requests, params } = useDesk()
  const act = useAct(requests.decide, {
    stale: [requests.list, requests.groups, requests.read, 'list_owned_actions'],
  })
  const whole = useWhole(actions)
  const [note, setNote] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const { title, opening } = words[kind]
  const [results, setResults] = useState<DecisionResults>()
  const error = act.error ?? whole.error
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
    // A problem is shown by `act.error`; what was decided before it is answered as decided when it is sent again.
    decideAll().then(tell, () => undefined)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || act.isPending || !whole.known) return
    event.preventDefault()
    decide()
  }
  if (results) return <BatchEnd results={results} actions={actions} onClose={onClose} />
  return (
    <Dialog
      open
      wide
      onClose={() => !act.isPending && onClose()}
      dismissible={!act.isPending}
      title={`${title} ${counted(actions.length, 'action')}?`}
      description="Exactly these are decided, each by itself. What is held meanwhile is not among them."
      initialFocus={field}
      footer={
        <>
          <Button onClick={onClose} disabled={act.isPending}>
            Cancel
          </Button>
          <Button
            variant={kind === 'approve' ? 'primary' : 'danger'}
            busy={act.isPending}
            disabled={!whole.known}
            onClick={decide}
          >
            {kind === 'approve' ? approveAllLabel(actions) : `Reject (${actions.length})`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <section
          aria-label="What will happen"
          className="max-h-72 overflow-y-auto rounded-lg border border-line"
        >
          <ol className="divide-y divide-line">
            {actions.map(action => (
              <li key={action.action_id} className="flex flex-col gap-1 p-3">
                <Planned action={action} trace={whole.traceOf(action.action_id)} opening={opening} />
              </li>
            ))}
          </ol>
        </section>
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

/** One request for each application: a batch is of one. */
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

/** What is asked with values that the list left out: nothing is decided before all of them are seen. */
function useWhole(actions: readonly InboxAction[]) {
  const { requests, params } = useDesk()
  const cut = actions.filter(({ values, values_more }) => values_more > 0 || leavesIn(values).some(isCut))
  const reads = useCalls(
    requests.read,
    cut.map(({ tenant_id, action_id }) => ({
      params: { ...('tenant_id' in params ? { tenant_id } : {}), action_id },
    })),
  )
  const traces = new Map(reads.map(({ data }, place) => [cut[place]?.action_id, data]))
  return {
    known: reads.every(({ data }) => data !== undefined),
    error: reads.find(({ error }) => error)?.error ?? null,
    traceOf: (actionId: string) => traces.get(actionId),
  }
}

function Planned({
  action,
  trace,
  opening,
}: {
  action: InboxAction
  /** Where the list has not all of its values. */
  trace: Trace | undefined
  opening: string
}) {
  const { action_id, values, values_more, effective_risk, proposal_hash, request_hash } = action
  return (
    <>
      <div className="flex items-start justify-between gap-2">
        {trace ? (
          <DescribedAction action={trace.proposal.action} checks={trace.verdict.checks} opening={opening} />
        ) : (
          <Sentence pieces={describeCall(action, describeLeaves(leavesIn(values), values_more), opening)} />
        )}
        <EffectiveRisk risk={effective_risk} inList />
      </div>
      {trace && (
        <AllValues parameters={trace.proposal.action.parameters} label={`All values of ${action_id}`} />
      )}
      <Digest what="Proposal" digest={proposal_hash} />
      {request_hash && <Digest what="Request" digest={request_hash} />}
    </>
  )
}

function Digest({ what, digest }: { what: string; digest: string }) {
  return (
    <p className="flex items-start gap-1 text-[0.8125rem] text-soft">
      <span className="min-w-0 pt-1.5">
        {what} <code className="font-mono break-all">{digest}</code>
      </span>
      <CopyButton text={digest} what={`${what} digest`} bare />
    </p>
  )
}

/** What became of each; those that were not recorded say why. */
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
      description={refused.length === 0 ? 'All of them.' : `${refused.length} not recorded:`}
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
