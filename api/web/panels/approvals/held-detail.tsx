import type { RefObject } from 'react'
import { Link } from 'react-router'
import type { HeldAction, Trace } from '../../../../shared/contract/action/action.ts'
import { amountLine, leavesOf } from '../../../../shared/lifecycle/told-values.ts'
import type { SeenQuorum } from '../../lib/policy/quorum.ts'
import { whyNotYou } from '../../lib/policy/route-words.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { ArrowLeft } from '../../pictures/icons.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Facts } from '../../ui/card.tsx'
import { Digest } from '../../ui/copy-button.tsx'
import { Countdown } from '../../ui/countdown.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { EffectiveRisk } from '../effective-risk.tsx'
import { AgentClaims } from '../trace/agent-claims.tsx'
import { DescribedAction } from '../trace/described-action.tsx'
import { GateReasons } from '../trace/gate-reasons.tsx'
import { PlannedRequestView } from '../trace/planned-request.tsx'
import { AllValues } from './all-values.tsx'
import { ApprovalsSoFar } from './approvals-so-far.tsx'
import { AskedBefore } from './asked-before.tsx'
import { Comments } from './comments.tsx'
import { DecidedNote } from './decided-note.tsx'
import { useDesk } from './desk.ts'
import { RouteSoFar } from './route-so-far.tsx'
import { useQuorum } from './use-quorum.ts'

/** A held action: its trace plus the fields that only the list contains. */
export type HeldView = Pick<HeldAction, 'action_id' | 'proposal' | 'verdict' | 'status' | 'created_at'> & {
  expires_at: string | null
  approvals?: HeldAction['approvals'] | undefined
  comments?: HeldAction['comments'] | undefined
  route?: HeldAction['route'] | undefined
}

export interface HeldDetailProps {
  view: HeldView
  trace: Trace
  heading: RefObject<HTMLHeadingElement | null>
  onDecide(kind: 'approve' | 'reject'): void
  onWrite(kind: 'comment' | 'edit'): void
}

/**
 * Shows a held action to the person who decides. The effect comes first, then the reasons for asking, then the
 * rest.
 */
export function HeldDetail({ view, trace, heading, onDecide, onWrite }: HeldDetailProps) {
  const { proposal, verdict } = view
  const { action } = proposal
  const { requests, params } = useDesk()
  const open = view.status === 'pending_approval'
  const input = { params: { ...params, action_id: view.action_id } }
  const { data: review } = useCall(requests.review, input, { enabled: open })
  const seen = useQuorum(view.approvals)
  return (
    <article
      aria-labelledby="held-heading"
      className="min-w-0 rounded-xl border border-line bg-surface shadow-card"
    >
      <HeldHeader view={view} heading={heading} />
      <div className="flex flex-col gap-6 p-5">
        {!open && <DecidedNote trace={trace} />}
        {open && view.route && (
          <RouteSoFar name={verdict.review_route ?? ''} route={view.route} issuer={verdict.route?.issuer} />
        )}
        {open && seen && <ApprovalsSoFar seen={seen} />}
        {view.comments && <Comments comments={view.comments} />}
        <Part title={titleOf(open, seen)}>
          <DescribedAction
            action={action}
            checks={verdict.checks}
            reviewed={review?.reviewed}
            {...(open ? {} : { opening: 'The agent asked to call ' })}
          />
          <AllValues parameters={action.parameters} />
        </Part>
        {verdict.request && (
          <Part title={open ? 'What will be sent' : 'What was to be sent'}>
            <PlannedRequestView request={verdict.request} told={action.parameters} />
          </Part>
        )}
        <AgentClaims proposal={proposal} />
        <Part title="Why you are asked">
          <GateReasons verdict={verdict} />
        </Part>
        {open && review && (
          <Part title="What was asked before">
            <AskedBefore
              review={review}
              verdict={verdict}
              operation={action.operation}
              system={action.target_system}
            />
          </Part>
        )}
        <Part title="Who asks, and until when">
          <Asking view={view} />
        </Part>
      </div>
      <DecisionBar view={view} seen={seen} onDecide={onDecide} onWrite={onWrite} />
    </article>
  )
}

function HeldHeader({ view, heading }: Pick<HeldDetailProps, 'view' | 'heading'>) {
  const { proposal, verdict, status, expires_at } = view
  const { operation, target_system } = proposal.action
  const { home } = useDesk()
  return (
    <header className="border-b border-line px-5 py-4">
      <Link
        to={home}
        className="mb-2 inline-flex min-h-6 items-center gap-1 rounded text-sm text-soft hover:text-ink lg:hidden"
      >
        <ArrowLeft className="size-4" aria-hidden /> All approvals
      </Link>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="held-heading" ref={heading} tabIndex={-1} className="rounded text-lg font-semibold">
          <ForeignText text={operation} />
          <span className="font-normal text-soft"> on </span>
          <ForeignText text={target_system} />
        </h2>
        <span className="flex items-center gap-3 text-sm">
          <EffectiveRisk risk={verdict.effective_risk} />
          {status === 'pending_approval' && expires_at && <Countdown at={expires_at} />}
        </span>
      </div>
    </header>
  )
}

function titleOf(open: boolean, seen: SeenQuorum | null): string {
  if (!open) return 'What was asked'
  return seen && (seen.own || seen.missing > 1)
    ? 'What will happen once it is approved'
    : 'What will happen if you approve'
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-2 text-sm font-semibold text-soft">{title}</h3>
      {children}
    </section>
  )
}

function Asking({ view: { action_id, proposal, verdict, created_at, expires_at } }: { view: HeldView }) {
  const { principal, actuator, review_route } = verdict
  const { params, applicationOf } = useDesk()
  return (
    <Facts
      facts={[
        ...(applicationOf && 'tenant_id' in params
          ? ([
              ['Application', <ForeignText key="application" text={applicationOf(params.tenant_id)} />],
            ] as const)
          : []),
        [
          'Key',
          <span key="key" className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium">
              <ForeignText text={principal.name} />
            </span>
            <code className="font-mono text-[0.8125rem] text-soft">{principal.key_id}</code>
          </span>,
        ],
        [
          'Says it is',
          <span key="claim">
            <ForeignText text={proposal.actor.agent_id} />{' '}
            <span className="text-sm text-soft">(a claim; the key is what was checked)</span>
          </span>,
        ],
        ['Asked', <Time key="asked" at={created_at} />],
        [
          'Denied unless decided',
          expires_at ? <Countdown key="left" at={expires_at} /> : 'at the end of its time',
        ],
        ...(proposal.callback
          ? ([['Calls back', <ForeignText key="callback" text={proposal.callback.url} />]] as const)
          : []),
        ['Review route', review_route ? <ForeignText key="route" text={review_route} /> : 'none'],
        [
          'Executed by',
          actuator ? <ForeignText key="by" text={`${actuator.name} (${actuator.kind})`} /> : 'nothing',
        ],
        ['Action', <Digest key="id" value={action_id} what="Action id" short={40} />],
        ['Proposal', <Digest key="hash" value={verdict.proposal_hash} what="Proposal digest" />],
        [
          'Request',
          verdict.request_hash ? (
            <Digest key="request" value={verdict.request_hash} what="Request digest" />
          ) : (
            'not recorded'
          ),
        ],
      ]}
    />
  )
}

type DecisionBarProps = Pick<HeldDetailProps, 'view' | 'onDecide' | 'onWrite'> & { seen: SeenQuorum | null }

function DecisionBar({ view, seen, onDecide, onWrite }: DecisionBarProps) {
  const { tracePathOf, grantPathOf, requests } = useDesk()
  const may = useMay()
  const amount = amountLine(leavesOf(view.proposal.action.parameters))
  return (
    <footer className="sticky bottom-0 z-10 flex flex-wrap items-center justify-between gap-2 rounded-b-xl border-t border-line bg-surface px-5 py-3">
      <span className="flex min-w-0 flex-wrap items-center gap-2">
        {amount !== null && (
          <span className="font-semibold">
            <span className="sr-only">Amount: </span>
            <ForeignText text={amount} />
          </span>
        )}
        {tracePathOf && (
          <ButtonLink variant="quiet" size="small" to={tracePathOf(view.action_id)}>
            Trace
          </ButtonLink>
        )}
        {grantPathOf && may('make_owned_grant') && (
          <ButtonLink variant="quiet" size="small" to={grantPathOf(view.action_id)}>
            Grant…
          </ButtonLink>
        )}
      </span>
      {view.status === 'pending_approval' && may(requests.approve) && (
        <Decide view={view} seen={seen} onDecide={onDecide} onWrite={onWrite} />
      )}
    </footer>
  )
}

/** Shows the decision buttons. A person who has approved can still reject. */
function Decide({ view, seen, onDecide, onWrite }: DecisionBarProps) {
  const approved = seen?.own != null
  const outside = view.route?.names_you === false
  return (
    <span className="flex flex-wrap items-center justify-end gap-2">
      {approved && (
        <span id="approved-already" className="basis-full text-right text-sm text-soft sm:basis-auto">
          You approved this already
        </span>
      )}
      {outside && !approved && (
        <span id="not-on-route" className="basis-full text-right text-sm text-soft sm:basis-auto">
          {whyNotYou(view.verdict.review_route ?? '')}
        </span>
      )}
      <Button disabled={outside} aria-describedby={reasonOf({ outside })} onClick={() => onWrite('comment')}>
        Comment…
      </Button>
      <Button disabled={outside} aria-describedby={reasonOf({ outside })} onClick={() => onWrite('edit')}>
        Edit…
      </Button>
      <Button
        variant="danger"
        disabled={outside}
        aria-describedby={reasonOf({ outside })}
        onClick={() => onDecide('reject')}
      >
        Reject…
      </Button>
      <Button
        variant="primary"
        disabled={approved || outside}
        aria-describedby={reasonOf({ approved, outside })}
        onClick={() => onDecide('approve')}
      >
        Approve…
      </Button>
    </span>
  )
}

function reasonOf({
  approved = false,
  outside,
}: {
  approved?: boolean
  outside: boolean
}): string | undefined {
  if (approved) return 'approved-already'
  return outside ? 'not-on-route' : undefined
}
