import type { ResolutionRequest, Trace } from '../../../../shared/contract/action/action.ts'
import { Button } from '../../ui/button.tsx'
import { Facts } from '../../ui/card.tsx'
import { ClampedText } from '../../ui/clamped-text.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { OperationName } from '../parts/job-links.tsx'

export function ResolveConfirm({
  request,
  trace,
  busy,
  onClose,
  onRecord,
}: {
  request: ResolutionRequest | null
  trace: Trace
  busy: boolean
  onClose(): void
  onRecord(request: ResolutionRequest): void
}) {
  const { target_system, operation } = trace.proposal.action
  return (
    <Dialog
      open={request !== null}
      onClose={onClose}
      dismissible={!busy}
      wide
      title={
        request?.outcome === 'executed' ? 'Record that it was executed?' : 'Record that it never happened?'
      }
      description="This is final: it is written into the audit, and nobody can change it later."
      footer={
        <>
          <Button disabled={busy} onClick={onClose}>
            Go back
          </Button>
          <Button variant="primary" busy={busy} onClick={() => request && onRecord(request)}>
            Record it
          </Button>
        </>
      }
    >
      {request && (
        <Facts
          facts={[
            ['Action', <OperationName key="action" system={target_system} operation={operation} />],
            ['It becomes', request.outcome === 'executed' ? 'Executed' : 'Failed, without any effect'],
            ['Found out', <ClampedText key="note" text={request.note} limit={300} />],
            ...(request.evidence
              ? [['Evidence', <ClampedText key="evidence" text={request.evidence} limit={300} />] as const]
              : []),
          ]}
        />
      )}
    </Dialog>
  )
}
