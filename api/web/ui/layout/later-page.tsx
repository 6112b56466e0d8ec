import { type ComponentType, lazy, Suspense } from 'react'
import { ProblemNote, Skeleton } from '../state.tsx'

/**
 * Loads a page when it is first opened. If loading fails, because the network is down or a newer version replaced
 * the service, it shows the error and offers a reload.
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
