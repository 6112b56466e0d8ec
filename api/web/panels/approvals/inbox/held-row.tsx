import { memo } from 'react'
import { Link } from 'react-router'
import type { InboxAction } from '../../../../../shared/contract/action/inbox-schema.ts'
import { missingOfRoute } from '../../../lib/policy/route-words.ts'
import type { Piece } from '../../../lib/trace/describe.ts'
import { leavesIn, tellingValues } from '../../../lib/trace/telling-values.ts'
import { Badge } from '../../../ui/badge.tsx'
import { classes } from '../../../ui/classes.ts'
import { Countdown } from '../../../ui/countdown.tsx'
import { ForeignText } from '../../../ui/text.tsx'
import { Time } from '../../../ui/time.tsx'
import { EffectiveRisk } from '../../effective-risk.tsx'
import { useDesk } from '../desk.ts'

const shownMax = 160

export const HeldRow = memo(function Row({
  action,
  to,
  selected,
}: {
  action: InboxAction
  to: string
  selected: boolean
}) {
  const { action_id, tenant_id, created_at, expires_at, approvals, route } = action
  const { applicationOf } = useDesk()
  const missing = route && missingOfRoute(route)
  return (
    <Link
      to={to}
      id={`held-${action_id}`}
      aria-current={selected || undefined}
      className={classes(
        'flex h-full min-w-0 flex-1 flex-col justify-center gap-1 border-l-3 px-3 -outline-offset-2',
        selected ? 'border-accent bg-accent-wash' : 'border-transparent hover:bg-sunken',
      )}
    >
      <span className="flex items-center justify-between gap-2">
        <span className="truncate font-semibold">
          <ForeignText text={action.operation} />
          <span className="font-normal text-soft"> on </span>
          <ForeignText text={action.target_system} />
        </span>
        <span className="flex shrink-0 items-center gap-1.5">
          {approvals && (
            <Badge tone="info">
              {approvals.given}/{approvals.required}
              <span className="sr-only"> approvals given</span>
            </Badge>
          )}
          <EffectiveRisk risk={action.effective_risk} inList />
        </span>
      </span>
      <span className="truncate font-mono text-[0.8125rem] whitespace-pre text-soft">
        <Values action={action} />
      </span>
      <span className="truncate text-[0.8125rem]">
        <span className="font-medium">
          <ForeignText text={action.agent_id} />
        </span>
        : <ForeignText text={beginningOf(action.summary)} />
      </span>
      <span className="flex items-center justify-between gap-2 text-[0.8125rem] text-soft">
        <span className="min-w-0 truncate">
          {applicationOf && (
            <>
              <span className="font-medium">
                <ForeignText text={applicationOf(tenant_id)} />
              </span>
              {' · '}
            </>
          )}
          <ForeignText text={action.key.name} />, <Time at={created_at} />
          {missing && `, ${missing}`}
        </span>
        <Countdown at={expires_at} />
      </span>
    </Link>
  )
})

/**
 * Shows the amount and the target in one line. Isolates each text, so that right-to-left text does not reorder
 * others.
 */
function Values({ action: { values, values_more } }: { action: InboxAction }) {
  const pieces = beginning(tellingValues(leavesIn(values), values_more))
  if (pieces.length === 0) return 'without parameters'
  let place = 0
  return pieces.map(({ text, from }) => {
    place += 1
    return from === 'us' ? <span key={place}>{text}</span> : <ForeignText key={place} text={text} />
  })
}

function beginningOf(text: string): string {
  return [...text].slice(0, shownMax).join('')
}

function beginning(pieces: readonly Piece[]): Piece[] {
  let left = shownMax
  return pieces.flatMap(({ text, from }) => {
    const shown = [...text].slice(0, left)
    left -= shown.length
    return shown.length === 0 ? [] : [{ text: shown.join(''), from }]
  })
}
