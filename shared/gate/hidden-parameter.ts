import { isPlainObject, type JsonObject, type JsonValue, memberOf } from '../contract/base/json.ts'

/**
 * One name of a path, and its dotted sibling names. Another reader could take such a sibling for the rest of the
 * path.
 */
interface Step {
  name: string
  notAnObject: string
  beside: readonly { name: string; why: string }[]
}

/**
 * Compiles a check of a dot path (specification.md#the-gate). The check returns why a downstream might read
 * another value at that path than the gate reads; null if it cannot.
 */
export function compileHiding(path: string): (parameters: JsonObject) => string | null {
  const segments = path.split('.')
  if (segments.length === 1) return () => null
  const steps = segments.map((name, depth): Step => {
    const until = segments.slice(0, depth).join('.')
    const beside = joined(segments, depth).map(member => ({
      name: member,
      why: `there is a member "${member}"`,
    }))
    return { name, notAnObject: `${until} is there and is no object`, beside }
  })
  return parameters => {
    let current: JsonValue | undefined = parameters
    for (const { name, notAnObject, beside } of steps) {
      if (current === undefined) return null
      if (!isPlainObject(current)) return notAnObject
      const object = current
      const hiding = beside.find(member => Object.hasOwn(object, member.name))
      if (hiding) return hiding.why
      current = memberOf(object, name)
    }
    return null
  }
}

export function hidingPlaces(path: string): string[][] {
  const segments = path.split('.')
  return segments.flatMap((_, depth) =>
    joined(segments, depth).map(name => [...segments.slice(0, depth), name]),
  )
}

function joined(segments: readonly string[], depth: number): string[] {
  return segments.slice(depth + 1).map((_, more) => segments.slice(depth, depth + more + 2).join('.'))
}
