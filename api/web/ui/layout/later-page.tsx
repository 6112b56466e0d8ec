import { type ComponentType, lazy, Suspense } from 'react'
import { ProblemNote, Skeleton } from '../state.tsx'

/**
 * A page that is fetched when it is opened first. Where it cannot be, since the network is away or the service was
 * replaced by a newer one, it says so and can be loaded anew.
 */
export function laterPage(fetchPage: () => Promise<ComponentType>): ComponentType {
  const Page = lazy(async () => ({ default: await fetchPage().catch(notFetched) }))
  return () => (
    <Suspense fallback={<Skeleton rows={6} />}>
      <Page />
    </Suspense>
  )
}

function notFetched(): ComponentType {
  const error = new Error(
    'This page could not be fetched. The service is away, or a newer one took its place.',
  )
  return () => <ProblemNote error={error} onRetry={() => window.location.reload()} className="m-4" />
}
