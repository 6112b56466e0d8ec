import type { Trace } from '../../../../shared/contract/action/action.ts'
import { nameOf, principalsOf } from '../../lib/trace/principal.ts'
import {
  CircleCheck,
  CircleSlash,
  type IconComponent,
  Pencil,
  TimerOff,
  Undo2,
} from '../../pictures/icons.ts'
import { ClampedText } from '../../ui/clamped-text.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { useDesk } from './desk.ts'

const told: Readonly<
  Record<NonNullable<Trace['approval']>['decision'], { icon: IconComponent; did: string }>
> = {
  approved: { icon: CircleCheck, did: 'approved this' },
  rejected: { icon: CircleSlash, did: 'rejected this' },
  cancelled: { icon: Undo2, did: 'withdrew this' },
  superseded: { icon: Pencil, did: 'edited this, and another action takes its place' },
  expired: { icon: TimerOff, did: 'Nobody decided in time, so it was denied' },
}

/** Tells a late approver who has decided the action, how and when. */
export function DecidedNote({ trace }: { trace: Trace }) {
  const { approval, status } = trace
  const { person } = useDesk()
  if (!approval)
    return (
      <p role="status" className="flex flex-wrap items-center gap-2">
        This is not waiting for a decision. <StatusBadge status={status} />
      </p>
    )
  const { icon: Icon, did } = told[approval.decision]
  const own = person?.id === approval.principal.id
  const who = own ? 'You' : nameOf(principalsOf(trace)(approval.principal))
  return (
    <div role="status" className="rounded-lg bg-info-wash px-4 py-3 text-info">
      <p className="flex items-start gap-2 font-medium">
        <Icon className="mt-0.5 size-5 shrink-0" aria-hidden />
        <span className="min-w-0">
          {approval.decision === 'expired' ? (
            did
          ) : (
            <>
              <ForeignText text={who.charAt(0).toUpperCase() + who.slice(1)} /> {did}
            </>
          )}{' '}
          <Time at={approval.at} />. <StatusBadge status={status} />
        </span>
      </p>
      {approval.note && (
        <p className="mt-1 text-sm">
          Note: <ClampedText text={approval.note} limit={400} />
        </p>
      )}
    </div>
  )
}
