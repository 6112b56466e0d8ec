import type { AuditExport, Trace } from '../../../../shared/contract/action/action.ts'
import { tellTrace } from '../../lib/trace/tell-trace.ts'
import { Card, Facts } from '../../ui/card.tsx'
import { Digest } from '../../ui/copy-button.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { ForeignJson } from '../json/foreign-json.tsx'
import { MerkleTree } from '../merkle/merkle-tree.tsx'
import { AgentClaims } from './agent-claims.tsx'
import { DescribedAction } from './described-action.tsx'
import { GateReasons } from './gate-reasons.tsx'
import { PlannedRequestView } from './planned-request.tsx'
import { TraceTimeline } from './trace-timeline.tsx'
import { VerifyHere } from './verify-here.tsx'

export function TraceView({
  trace,
  exportAudit,
}: {
  trace: Trace
  exportAudit: (() => Promise<AuditExport>) | null
}) {
  const { proposal, verdict, execution } = trace
  return (
    <div className="flex flex-col gap-6">
      <TraceHead trace={trace} />
      <div className="grid items-start gap-6 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <Card title="What happened">
            <TraceTimeline trace={trace} />
          </Card>
          {execution?.result && (
            <Card title="Result" hint="As the system answered.">
              <ForeignJson value={execution.result.detail} label="Result" />
            </Card>
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <Card title="What was asked">
            <div className="flex flex-col gap-4">
              <DescribedAction
                action={proposal.action}
                checks={verdict.checks}
                opening="The agent asked to call "
              />
              <ForeignJson value={proposal.action.parameters} label="Parameters" />
              <AgentClaims proposal={proposal} />
            </div>
          </Card>
          {verdict.request && (
            <Card title="What is sent once it is approved">
              <PlannedRequestView request={verdict.request} />
            </Card>
          )}
          <Card title="What the gate decided, and why">
            <GateReasons verdict={verdict} />
          </Card>
        </div>
      </div>
      <Card
        title="Proof"
        hint="Every event is a leaf of this tree. Change one bit of one event, and the root is another."
      >
        <MerkleTree trace={trace} />
      </Card>
      {exportAudit && <VerifyHere trace={trace} exportAudit={exportAudit} />}
    </div>
  )
}

function TraceHead({ trace }: { trace: Trace }) {
  const { status, action_id, verdict, proposal, created_at, updated_at } = trace
  return (
    <Card>
      <div className="flex flex-col gap-4">
        <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <StatusBadge status={status} />
          <p className="min-w-0 text-[1.0625rem]">
            <ForeignText text={tellTrace(trace)} />
          </p>
        </div>
        <Facts
          facts={[
            [
              'Asked',
              <span key="asked">
                <Time at={created_at} /> with the key{' '}
                <span className="font-medium">
                  <ForeignText text={verdict.principal.name} />
                </span>
              </span>,
            ],
            ['Last change', <Time key="changed" at={updated_at} />],
            ['Action', <Digest key="action" value={action_id} what="Action id" short={40} />],
            ['Proposal id', <ForeignText key="proposal" text={proposal.proposal_id} />],
          ]}
        />
      </div>
    </Card>
  )
}
