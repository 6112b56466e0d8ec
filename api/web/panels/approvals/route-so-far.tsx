import type { HeldRoute } from '../../../../shared/contract/configuration/route-schema.ts'
import { emptyGroups, missingOfRoute } from '../../lib/policy/route-words.ts'
import { Users } from '../../pictures/icons.ts'
import { ForeignText } from '../../ui/text.tsx'

export function RouteSoFar({
  name,
  route,
  issuer,
}: {
  name: string
  route: HeldRoute
  issuer: string | undefined
}) {
  const empty = emptyGroups(route)
  return (
    <section aria-label="Route" className="rounded-lg bg-info-wash px-4 py-3 text-info">
      <p className="flex items-start gap-2 font-medium">
        <Users className="mt-0.5 size-5 shrink-0" aria-hidden />
        Route {name}: {missingOfRoute(route) ?? 'each group has given its approvals'}
      </p>
      {issuer !== undefined && (
        <p className="mt-1 pl-7 text-sm break-words">
          It takes decisions of people who signed in at <ForeignText text={issuer} />.
        </p>
      )}
      {empty && (
        <p role="alert" className="mt-1 pl-7 text-sm font-medium text-bad">
          {empty}
        </p>
      )}
    </section>
  )
}
