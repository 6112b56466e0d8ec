import type { RecordedVerdict } from '../../../../shared/contract/action/action.ts'
import type { Check, Decision } from '../../../../shared/contract/action/verdict.ts'
import { counted } from '../../lib/format.ts'
import { CircleCheck, CircleMinus, CircleX } from '../../pictures/icons.ts'
import { Digest } from '../../ui/copy-button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { RiskBadge } from '../../ui/status.tsx'
import { ForeignText } from '../../ui/text.tsx'

const decided: Readonly<Record<Decision, string>> = {
  allow: 'The gate allowed it',
  needs_approval: 'The gate wants a person to decide',
  deny: 'The gate denied it',
}

export function GateReasons({
  verdict,
  allChecks = false,
}: {
  verdict: Pick<
    RecordedVerdict,
    'decision' | 'effective_risk' | 'checks' | 'blocking_reasons' | 'policy' | 'catalog'
  >
  allChecks?: boolean
}) {
  const { effective_risk, checks, blocking_reasons } = verdict
  const threshold = checks.find(({ check }) => check === 'approval_threshold')
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap items-center gap-2">
        <RiskBadge level={effective_risk.level} />
        <span>{riskWords(effective_risk)}</span>
      </p>
      <p>
        {decided[verdict.decision]}
        {verdict.decision === 'deny' ? ':' : threshold ? `: ${threshold.message}.` : '.'}
      </p>
      {blocking_reasons.length > 0 && (
        <ul className="list-disc pl-5 text-bad">
          {blocking_reasons.map(reason => (
            <li key={reason}>
              <ForeignText text={reason} />
            </li>
          ))}
        </ul>
      )}
      <Checks checks={checks} open={allChecks} />
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-soft">
        <span className="inline-flex items-center gap-1">
          Policy revision {verdict.policy.revision} <Digest value={verdict.policy.hash} what="Policy hash" />
        </span>
        {verdict.catalog && (
          <span className="inline-flex items-center gap-1">
            Catalog revision {verdict.catalog.revision}
            <Digest value={verdict.catalog.hash} what="Catalog hash" />
          </span>
        )}
      </p>
    </div>
  )
}

function riskWords({ level, claimed, raised_by }: RecordedVerdict['effective_risk']): string {
  if (raised_by === 'catalog')
    return `The agent claimed ${claimed}; the reviewed catalog raises it to ${level}.`
  return `The agent claimed ${claimed}. No reviewed catalog entry demands more.`
}

const outcomes = {
  pass: { icon: CircleCheck, tone: 'text-good', label: 'Passed' },
  fail: { icon: CircleX, tone: 'text-bad', label: 'Failed' },
  skipped: { icon: CircleMinus, tone: 'text-soft', label: 'Not made' },
} as const

function Checks({ checks, open }: { checks: readonly Check[]; open: boolean }) {
  const failed = checks.filter(({ outcome }) => outcome === 'fail').length
  const told = failed === 0 ? 'none failed' : `${failed} failed`
  return (
    <Disclosure
      label={`${counted(checks.length, 'check')} of the gate, ${told}`}
      open={open || (failed > 0 && checks.length <= 20)}
    >
      <ul className="divide-y divide-line rounded-lg border border-line text-sm">
        {keyed(checks).map(({ key, check }) => (
          <CheckRow key={key} check={check} />
        ))}
      </ul>
    </Disclosure>
  )
}

function CheckRow({ check: { check, outcome, message, path } }: { check: Check }) {
  const { icon: Icon, tone, label } = outcomes[outcome]
  return (
    <li className="flex items-start gap-2.5 px-3 py-2">
      <Icon className={`mt-0.5 size-4 shrink-0 ${tone}`} aria-label={label} role="img" />
      <span className="min-w-0">
        <ForeignText text={message} />
        <span className="block font-mono text-xs text-soft">
          <ForeignText text={path === null ? check : `${check} · ${path}`} />
        </span>
      </span>
    </li>
  )
}

/** Adds the index to each key, because the same check may occur several times. */
function keyed(checks: readonly Check[]): { key: string; check: Check }[] {
  return checks.map((check, place) => ({ key: `${place} ${check.check}`, check }))
}
