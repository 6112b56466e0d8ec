import { type Issue, pathText } from '../contract/base/errors.ts'
import { limits } from '../contract/base/limits.ts'
import { inOneGo, type Slices } from '../contract/base/slices.ts'

const policyDepth = 7
const policyDepthMax = policyDepth + limits.parameters_depth_max

/**
 * Finds input that the strict reader would refuse, for documents from other sources: members named `__proto__`,
 * values that are not JSON, and excessive nesting. A schema would silently drop `__proto__` and the constraint in
 * it. The search is iterative, so that nesting cannot overflow the stack.
 */
export function documentProblems(document: unknown, depthMax: number = policyDepthMax): Issue[] {
  return inOneGo(findDocumentProblems(document, depthMax))
}

/** Runs `documentProblems` in slices and stops at the maximum number of problems in an answer. */
export function* findDocumentProblems(document: unknown, depthMax: number = policyDepthMax): Slices<Issue[]> {
  const problems: Issue[] = []
  const open: Place[] = [{ value: document, name: '', depth: 1, above: null }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.depth > depthMax) return [...problems, tooDeep(place, depthMax)]
    const problem = problemAt(place)
    if (problem !== null) problems.push(problem)
    if (problems.length > limits.problems_max) return problems
    openChildren(place, open)
    yield
  }
  return problems
}

/** A value and its parents, so that the path is built only for a value that has a problem. */
interface Place {
  value: unknown
  name: string | number
  depth: number
  above: Place | null
}

function problemAt(place: Place): Issue | null {
  const { name, value } = place
  if (name === '__proto__')
    return { path: pathOf(place), code: 'reserved_name', message: '__proto__ is not allowed as a name' }
  if (typeof name === 'string' && !isWellFormed(name))
    return notJson(pathOf(place), 'the name holds a lone surrogate')
  if (typeof value === 'string' && !isWellFormed(value))
    return notJson(pathOf(place), 'holds a lone surrogate')
  return isJson(value) ? null : notJson(pathOf(place), 'is not a JSON value')
}

function openChildren(above: Place, open: Place[]): void {
  const { value } = above
  if (typeof value !== 'object' || value === null) return
  const depth = above.depth + 1
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value).filter(([, member]) => member !== undefined)
  for (const [name, member] of members.reverse()) open.push({ value: member, name, depth, above })
}

function pathOf(place: Place): string {
  const steps: (string | number)[] = []
  for (let at = place; at.above !== null; at = at.above) steps.push(at.name)
  return pathText(steps.reverse())
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

function tooDeep(place: Place, depthMax: number): Issue {
  const message = `is nested deeper than ${depthMax} levels`
  return { path: pathOf(place), code: 'too_deep', message }
}
