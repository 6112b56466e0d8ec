import type { Issue } from '../contract/errors.ts'
import { pathText } from '../contract/issues.ts'
import { limits } from '../contract/limits.ts'

/** Levels of a policy above the constants that `equals` and `one_of` compare with. */
const policyDepth = 7
const policyDepthMax = policyDepth + limits.parameters_depth_max

/**
 * What must not reach a policy or a catalog from a source without a strict reader: members named `__proto__` (a schema
 * drops them, and with them the constraint), values that are not JSON, and nesting beyond use. Not recursive.
 */
export function documentProblems(document: unknown, depthMax: number = policyDepthMax): Issue[] {
  const problems: Issue[] = []
  let level: Place[] = [{ value: document, path: [] }]
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > depthMax) return [...problems, tooDeep(level, depthMax)]
    const below: Place[] = []
    for (const place of level) {
      problems.push(...problemsAt(place))
      for (const child of childrenOf(place)) below.push(child)
    }
    level = below
  }
  return problems
}

interface Place {
  value: unknown
  path: readonly (string | number)[]
}

function problemsAt({ value, path }: Place): Issue[] {
  const name = path.at(-1)
  const at = pathText(path)
  if (name === '__proto__')
    return [{ path: at, code: 'reserved_name', message: '__proto__ is not allowed as a name' }]
  if (typeof name === 'string' && !isWellFormed(name)) return [notJson(at, 'the name holds a lone surrogate')]
  if (typeof value === 'string' && !isWellFormed(value)) return [notJson(at, 'holds a lone surrogate')]
  return isJson(value) ? [] : [notJson(at, 'is not a JSON value')]
}

function childrenOf({ value, path }: Place): Place[] {
  if (Array.isArray(value)) return value.map((item, index) => ({ value: item, path: [...path, index] }))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => ({ value: member, path: [...path, name] }))
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'object'
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

function notJson(path: string, message: string): Issue {
  return { path, code: 'not_json', message }
}

function tooDeep(level: readonly Place[], depthMax: number): Issue {
  const message = `is nested deeper than ${depthMax} levels`
  return { path: pathText(level[0]?.path ?? []), code: 'too_deep', message }
}
