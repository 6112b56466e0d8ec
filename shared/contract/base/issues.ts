import type { z } from 'zod'
import type { Issue } from './errors.ts'
import { limits } from './limits.ts'

/** Every problem zod found, each with the path of its field: unknown fields are named one by one. */
export function issuesOf(error: z.ZodError, prefix: readonly PropertyKey[] = []): Issue[] {
  return error.issues.flatMap(issue => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, limits.problems_max + 1).map(key => ({
        path: pathText([...path, key]),
        code: 'unknown_field',
        message: 'is not a known field',
      }))
    }
    return [{ path: pathText(path), code: codeOf(issue), message: issue.message }]
  })
}

/** `tenants[0].policy.review_route`: the written form of a path; a name beyond 100 characters is cut, and a long path. */
export function pathText(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`
    const name = String(step).slice(0, 100)
    return before === '' ? name : `${before}.${name}`
  }, '')
  return text.length > pathLengthMax ? `${text.slice(0, pathLengthMax)}…` : text
}

const pathLengthMax = 1_000

/** Rules of ours name their own code in `params`. */
function codeOf(issue: z.core.$ZodIssue): string {
  const own: unknown = issue.code === 'custom' ? issue.params?.code : undefined
  return typeof own === 'string' ? own : issue.code
}
