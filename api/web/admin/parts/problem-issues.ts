import type { Issue } from '../../../../shared/contract/base/errors.ts'
import { ProblemError } from '../../lib/call.ts'

/** Returns the issues of a request. Strips `field.` from their paths, so that a path leads into the document. */
export function issuesUnder(error: Error | null, field: string): Issue[] {
  if (!(error instanceof ProblemError)) return []
  const prefix = `${field}.`
  return (error.problem.errors ?? []).map(issue => ({
    ...issue,
    path: issue.path.startsWith(prefix) ? issue.path.slice(prefix.length) : issue.path,
  }))
}
