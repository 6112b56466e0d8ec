import type { ReactNode } from 'react'
import { basePath } from '../lib/base-path.ts'
import { ProblemError, UnreachableError } from '../lib/call.ts'
import { CloudOff, type IconComponent, RefreshCw, TriangleAlert } from '../pictures/icons.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'

export function Empty({
  icon: Icon,
  title,
  children,
}: {
  icon: IconComponent
  title: string
  children?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center px-6 py-14 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-accent-wash text-accent">
        <Icon className="size-6" aria-hidden />
      </span>
      <p className="font-semibold">{title}</p>
      {children && <div className="mt-1 max-w-md text-sm text-soft">{children}</div>}
    </div>
  )
}

/** Draws placeholders while content loads, so that the layout does not jump when it arrives. */
export function Skeleton({ rows = 3, className }: { rows?: number; className?: string }) {
  return (
    <div role="status" aria-label="Loading" className={classes('flex flex-col gap-3 p-5', className)}>
      {Array.from({ length: rows }, (_, row) => `row ${row}`).map((name, row) => (
        <span
          key={name}
          className={classes('h-5 animate-pulse rounded-md bg-sunken', row % 3 === 2 && 'w-2/3')}
        />
      ))}
    </div>
  )
}

/** Shows an error in the service's own words. Offers a retry if `onRetry` is given. */
export function ProblemNote({
  error,
  onRetry,
  className,
}: {
  error: Error
  onRetry?: () => void
  className?: string
}) {
  const unreachable = error instanceof UnreachableError
  const Icon = unreachable ? CloudOff : TriangleAlert
  return (
    <div
      role="alert"
      className={classes(
        'flex items-start gap-3 rounded-lg border border-bad/30 bg-bad-wash px-4 py-3 text-bad',
        className,
      )}
    >
      <Icon className="mt-0.5 size-5 shrink-0" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">
          {unreachable ? unreachableWords(onRetry !== undefined) : error.message}
        </p>
        {error instanceof ProblemError && <IssueList error={error} />}
      </div>
      {onRetry && (
        <Button size="small" variant="danger" onClick={onRetry}>
          <RefreshCw className="size-4" aria-hidden /> Try again
        </Button>
      )}
    </div>
  )
}

/** Failed reads are repeated automatically. A person must repeat a failed write. */
function unreachableWords(read: boolean): string {
  return `The service cannot be reached. ${read ? 'It is tried again by itself.' : 'Please try again in a moment.'}`
}

function IssueList({ error }: { error: ProblemError }) {
  const { code, errors = [], request_id, status } = error.problem
  return (
    <>
      {errors.length > 0 && (
        <ul className="mt-1 list-disc pl-5 text-sm">
          {errors.slice(0, 20).map(issue => (
            <li key={`${issue.path} ${issue.code} ${issue.message}`} className="break-words">
              <code className="font-mono text-xs">{issue.path}</code>: {issue.message}
            </li>
          ))}
        </ul>
      )}
      <p className="mt-1 text-sm">
        {status >= 500 && <>Request {request_id}. </>}
        <a href={`${basePath}/docs/errors#${code}`} target="_blank" rel="noopener" className="underline">
          What to do
        </a>
      </p>
    </>
  )
}

export function Reading<Data>({
  query,
  rows,
  children,
}: {
  query: { data: Data | undefined; error: Error | null; refetch(): unknown }
  rows?: number
  children: (data: Data) => ReactNode
}) {
  const { data, error, refetch } = query
  if (data === undefined && error)
    return <ProblemNote error={error} onRetry={() => void refetch()} className="m-4" />
  if (data === undefined) return <Skeleton {...(rows === undefined ? {} : { rows })} />
  return (
    <>
      {error && <ProblemNote error={error} onRetry={() => void refetch()} className="m-4" />}
      {children(data)}
    </>
  )
}
