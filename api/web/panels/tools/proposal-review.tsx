import { useState } from 'react'
import { accessCounts, accessLabels, weightWords } from '../../../../shared/contract/access/access-words.ts'
import type { ToolProposal } from '../../../../shared/contract/configuration/tool-import.ts'
import { counted } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { RiskBadge } from '../../ui/status.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { AccessBadge } from '../access.tsx'
import { IssueList } from '../json/issue-list.tsx'

export interface ProposalReviewProps {
  proposal: ToolProposal
  busy: boolean
  error: Error | null
  /** Called with the names of the operations that the policy will allow. */
  onApply(allowed: string[]): void
  onBack(): void
}

type Proposed = ToolProposal['operations'][number]

/** Counts the operations by decision. An operation without a tick counts as denied. */
function countsOf(operations: readonly Proposed[], denied: ReadonlySet<string>) {
  const counts = { allowed: 0, held: 0, denied: 0, open: 0 }
  for (const { operation, access } of operations)
    counts[denied.has(operation) ? 'denied' : access.answer] += 1
  return counts
}

export function ProposalReview({ proposal, busy, error, onApply, onBack }: ProposalReviewProps) {
  const { operations, refused, gone, warnings } = proposal
  const [denied, setDenied] = useState<ReadonlySet<string>>(
    () => new Set(operations.flatMap(({ allowed, operation }) => (allowed ? [] : [operation]))),
  )
  const allowed = operations.filter(({ operation }) => !denied.has(operation))
  const toggle = (operation: string): void => {
    const next = new Set(denied)
    if (!next.delete(operation)) next.add(operation)
    setDenied(next)
  }
  return (
    <div className="flex flex-col gap-4">
      <IssueList
        tone="warn"
        issues={warnings.map(warning => ({ ...warning, line: null }))}
        onJump={() => undefined}
      />
      <Card
        title={<ForeignText text={proposal.title} />}
        hint={`${counted(operations.length, 'operation')} of ${proposal.system}: ${accessCounts(countsOf(operations, denied))}; ${weightWords(allowed.map(({ weight }) => weight))}`}
        padded={false}
      >
        <ul className="divide-y divide-line">
          {operations.map(proposed => (
            <ProposedOperation
              key={proposed.operation}
              proposed={proposed}
              allowed={!denied.has(proposed.operation)}
              onToggle={() => toggle(proposed.operation)}
            />
          ))}
        </ul>
      </Card>
      <Absent refused={refused} gone={gone} />
      <DeniedFromNowOn denied={proposal.denied} system={proposal.system} />
      {error && <ProblemNote error={error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button disabled={busy} onClick={onBack}>
          Back
        </Button>
        <Button
          variant="primary"
          busy={busy}
          onClick={() => onApply(allowed.map(({ operation }) => operation))}
        >
          Apply as one revision
        </Button>
      </div>
    </div>
  )
}

function ProposedOperation({
  proposed: { operation, source, entry, access, changes, left_out },
  allowed,
  onToggle,
}: {
  proposed: Proposed
  allowed: boolean
  onToggle(): void
}) {
  return (
    <li className="px-5 py-3">
      <label className="flex cursor-pointer items-start gap-3">
        <input
          type="checkbox"
          checked={allowed}
          onChange={onToggle}
          className="mt-1 size-4 shrink-0 accent-accent"
        />
        <span className="min-w-0 flex-1">
          <span className="font-medium break-words">
            <ForeignText text={entry?.title ?? operation} />
          </span>
          <span className="block font-mono text-sm break-all text-soft">
            <ForeignText text={`${operation} · ${source}`} />
          </span>
        </span>
        <span className="flex max-w-1/2 flex-wrap justify-end gap-1.5">
          {entry && <RiskBadge level={entry.minimum_risk} label={`at least ${entry.minimum_risk} risk`} />}
          {allowed ? <AccessBadge access={access} /> : <Badge tone="bad">{accessLabels.denied}</Badge>}
        </span>
      </label>
      {allowed && (access.answer === 'denied' || access.answer === 'open') && (
        <p className="mt-1 pl-7 text-sm break-words text-warn">
          <ForeignText text={access.message} />
        </p>
      )}
      {(changes.length > 0 || left_out.length > 0) && (
        <ul className="mt-1 list-disc pl-12 text-sm text-soft">
          {[...changes, ...left_out].map(({ code, message }) => (
            <li key={code + message} className="break-words">
              <ForeignText text={message} />
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

function Absent({ refused, gone }: Pick<ToolProposal, 'refused' | 'gone'>) {
  if (refused.length === 0 && gone.length === 0) return null
  return (
    <Card title="Left out">
      <ul className="list-disc pl-5 text-sm">
        {refused.map(({ source, code, message }) => (
          <li key={source + code} className="break-words">
            <ForeignText text={`${source}: ${message}`} />
          </li>
        ))}
        {gone.map(operation => (
          <li key={operation} className="break-words">
            <ForeignText text={`${operation}: the source no longer offers it`} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Warns about operations without a catalog entry, because a tenant's first catalog denies them. */
function DeniedFromNowOn({ denied, system: own }: Pick<ToolProposal, 'denied' | 'system'>) {
  if (denied.length === 0) return null
  return (
    <Card
      title="Denied once you apply"
      hint="This is the first catalog here. With a catalog every proposal needs an entry, and these have none."
    >
      <ul className="list-disc pl-5 text-sm">
        {denied.map(({ system, operations }) => (
          <li key={system} className="break-words">
            <ForeignText
              text={`${system}: ${operations?.join(', ') ?? (system === own ? 'every other operation' : 'every operation')}`}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}
