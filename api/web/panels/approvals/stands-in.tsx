import { useAct, useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { Users } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { type Desk, useDesk } from './desk.ts'

/** Tells a person for whom they decide. The person can decline, because somebody else appointed them. */
export function StandsIn({ absence }: { absence: NonNullable<Desk['absence']> }) {
  const { params } = useDesk()
  const may = useMay()
  const query = useCall(absence.read, { params } as never, { enabled: may(absence.read) })
  const decline = useAct(absence.decline, { stale: [absence.read] })
  const acting = query.data?.acts_for ?? []
  if (acting.length === 0) return null
  return (
    <ul aria-label="You stand in" className="mb-4 flex flex-col gap-2">
      {acting.map(({ absent, absent_name, until }) => (
        <li
          key={absent}
          className="flex flex-wrap items-center gap-3 rounded-xl bg-info-wash px-4 py-3 text-info"
        >
          <Users className="size-5 shrink-0" aria-hidden />
          <span className="min-w-0 flex-1 basis-60 break-words">
            You decide in the place of <ForeignText text={absent_name} />, who is absent until{' '}
            <Time at={until} />.
          </span>
          <Button
            size="small"
            busy={decline.isPending}
            onClick={() => decline.mutate({ params, body: { absent } } as never)}
          >
            Decline
          </Button>
        </li>
      ))}
      {decline.error && <ProblemNote error={decline.error} />}
    </ul>
  )
}
