import type { Issue } from '../../../../shared/contract/base/errors.ts'
import { ProblemError } from '../../lib/call.ts'

/** What the service says of single places of a document that was sent as the field `field` of a request, or as all of it. */
export function issuesUnder(error: Error | null, field: string): Issue[] {
  if (!(error instanceof ProblemError)) return []
  const prefix = `${field}.`
  return (error.problem.errors ?? []).map(issue => ({
    ...issue,
    path: issue.path.startsWith(prefix) ? issue.path.slice(prefix.length) : issue.path,
  }))
}
