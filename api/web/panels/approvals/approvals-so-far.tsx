import type { CountedApproval } from '../../../../shared/contract/action/action-status.ts'
import { givenWords, missingWords, type SeenQuorum } from '../../lib/policy/quorum.ts'
import { actedWith } from '../../lib/trace/principal.ts'
import { Users } from '../../pictures/icons.ts'
import { ClampedText } from '../../ui/clamped-text.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'

export function ApprovalsSoFar({ seen }: { seen: SeenQuorum }) {
  return (
    <section aria-label="Approvals so far" className="rounded-lg bg-info-wash px-4 py-3 text-info">
      <p role="status" className="flex items-start gap-2 font-medium">
        <Users className="mt-0.5 size-5 shrink-0" aria-hidden />
        {givenWords(seen)}
      </p>
      {seen.by.length > 0 && (
        <ul className="mt-1 flex flex-col gap-1 pl-7 text-sm">
          {seen.by.map(approval => (
            <li key={approval.principal.id} className="min-w-0">
              <Given approval={approval} own={approval === seen.own} />
            </li>
          ))}
        </ul>
      )}
      <p className="mt-1 pl-7 text-sm">{missingWords(seen)}</p>
    </section>
  )
}

function Given({
  approval: { name, role, principal, note, at },
  own,
}: {
  approval: CountedApproval
  own: boolean
}) {
  return (
    <>
      {own && 'You, as '}
      <ForeignText text={name ?? principal.id} /> ({actedWith(principal, role)}), <Time at={at} />
      {note && (
        <>
          {': '}
          <ClampedText text={note} limit={200} />
        </>
      )}
    </>
  )
}
