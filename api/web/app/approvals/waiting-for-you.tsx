import { usePages } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { ArrowRight, CircleCheck, Hourglass } from '../../pictures/icons.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { Time } from '../../ui/time.tsx'

/** How many actions wait for a person, and since when the oldest does. */
export function WaitingForYou({ tenantId }: { tenantId: string }) {
  const may = useMay()
  const { data, error, refetch } = usePages('list_owned_approvals', {
    params: { tenant_id: tenantId },
    query: { limit: '200' },
  })
  const page = data?.pages[0]
  if (!page && error) return <ProblemNote error={error} onRetry={() => void refetch()} />
  if (!page)
    return <div role="status" aria-label="Loading" className="h-18 animate-pulse rounded-xl bg-sunken" />
  const count = page.approvals.length
  const oldest = page.approvals.at(-1)
  if (!oldest)
    return (
      <p className="flex min-h-18 items-center gap-3 rounded-xl border border-line bg-surface px-5 py-3 text-soft shadow-card">
        <CircleCheck className="size-5 shrink-0 text-good" aria-hidden />
        Nothing waits for a decision.
      </p>
    )
  const more = page.next_cursor !== null
  return (
    <section
      aria-label="Waiting for a decision"
      className="flex min-h-18 flex-wrap items-center justify-between gap-3 rounded-xl border border-warn/40 bg-warn-wash px-5 py-3 shadow-card"
    >
      <p className="flex min-w-0 items-center gap-3">
        <Hourglass className="size-5 shrink-0 text-warn" aria-hidden />
        <span>
          <strong className="font-semibold">
            {count === 1 ? '1 action waits' : `${count}${more ? ' or more' : ''} actions wait`} for a decision
          </strong>
          <span className="block text-sm text-soft">
            {more ? 'The first arrived before ' : count === 1 ? 'It arrived ' : 'The oldest arrived '}
            <Time at={oldest.created_at} />
            {'; what nobody decides in time is denied.'}
          </span>
        </span>
      </p>
      <ButtonLink variant="primary" to={`/a/${tenantId}/approvals`}>
        {may('approve_owned_action') ? 'Decide' : 'Read'} <ArrowRight className="size-4" aria-hidden />
      </ButtonLink>
    </section>
  )
}
