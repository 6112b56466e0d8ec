import { type ComponentType, lazy, Suspense } from 'react'
import { ProblemNote, Skeleton } from '../state.tsx'

/**
 * Loads a page when it is first opened. Loading can fail without a network, or after an update of the service. The
 * page then shows the error and a reload button.
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
