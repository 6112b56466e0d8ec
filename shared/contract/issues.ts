import type { z } from 'zod'
import type { Issue } from './errors.ts'

/** Every problem zod found, each with the path of its field: unknown fields are named one by one. */
export function issuesOf(error: z.ZodError, prefix: readonly PropertyKey[] = []): Issue[] {
  return error.issues.flatMap(issue => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map(key => ({
        path: pathText([...path, key]),
        code: 'unknown_field',
        message: 'is not a known field',
      }))
    }
    return [{ path: pathText(path), code: codeOf(issue), message: issue.message }]
  })
}

/** `tenants[0].policy.review_route`: the written form of a path; a name beyond 100 characters is cut. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    const name = String(step).slice(0, 100)
    return text === '' ? name : `${text}.${name}`
  }, '')
}

/** Rules of ours name their own code in `params`. */
function codeOf(issue: z.core.$ZodIssue): string {
  const own: unknown = issue.code === 'custom' ? issue.params?.code : undefined
  return typeof own === 'string' ? own : issue.code
}
