import { limits } from '../../../../shared/contract/base/limits.ts'
import { formatNumber } from '../../lib/format.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { ArrowRight, CircleCheck, Hourglass } from '../../pictures/icons.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { Time } from '../../ui/time.tsx'

export function WaitingForYou({ tenantId }: { tenantId: string }) {
  const may = useMay()
  const input = { query: { limit: '1', tenant_id: tenantId } }
  const { data, error, refetch } = useCall('owned_inbox', input)
  if (!data && error) return <ProblemNote error={error} onRetry={() => void refetch()} />
  if (!data)
    return <div role="status" aria-label="Loading" className="h-18 animate-pulse rounded-xl bg-sunken" />
  const { waiting, approvals } = data
  const [first] = approvals
  if (!first)
    return (
      <p className="flex min-h-18 items-center gap-3 rounded-xl border border-line bg-surface px-5 py-3 text-soft shadow-card">
        <CircleCheck className="size-5 shrink-0 text-good" aria-hidden />
        Nothing waits for a decision.
      </p>
    )
  return (
    <section
      aria-label="Waiting for a decision"
      className="flex min-h-18 flex-wrap items-center justify-between gap-3 rounded-xl border border-warn/40 bg-warn-wash px-5 py-3 shadow-card"
    >
      <p className="flex min-w-0 items-center gap-3">
        <Hourglass className="size-5 shrink-0 text-warn" aria-hidden />
        <span>
          <strong className="font-semibold">{waitingWords(waiting)} for a decision</strong>
          <span className="block text-sm text-soft">
            {waiting === 1 ? 'It' : 'The first'} is denied <Time at={first.expires_at} /> unless somebody
            decides.
          </span>
        </span>
      </p>
      <ButtonLink variant="primary" to={`/a/${tenantId}/approvals`}>
        {may('approve_owned_action') ? 'Decide' : 'Read'} <ArrowRight className="size-4" aria-hidden />
      </ButtonLink>
    </section>
  )
}

function waitingWords(waiting: number): string {
  const orMore = waiting >= limits.inbox_counted_max ? ' or more' : ''
  return waiting === 1 ? '1 action waits' : `${formatNumber(waiting)}${orMore} actions wait`
}
