import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { methods, requestsOf } from './read-openapi.ts'
import { lookUp, pointerOf } from './references.ts'

/**
 * Returns the document with only the given operations and all that they refer to, under the same names. A
 * document that is too large to send can be narrowed in this way first.
 */
export function narrowDocument(document: JsonObject, only: readonly string[]): JsonObject {
  const wanted = new Set(only)
  const paths: Record<string, JsonObject> = {}
  for (const { operation, path, method, item, value } of requestsOf(document, undefined)) {
    if (!wanted.has(operation)) continue
    const shared = Object.entries(item).filter(([name]) => !methods.includes(name))
    paths[path] = {
      ...Object.fromEntries(shared),
      ...paths[path],
      [method.toLowerCase()]: { ...value, operationId: operation },
    }
  }
  const { components, ...rest } = document
  const { securitySchemes = {} } = isPlainObject(components) ? components : {}
  const narrowed: JsonObject = { ...rest, paths, components: { securitySchemes } }
  copyReferences(document, narrowed)
  return narrowed
}

function copyReferences(from: JsonObject, to: JsonObject): void {
  const copied = new Set<string>()
  const waiting: JsonValue[] = [to]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) waiting.push(...value)
    if (!isPlainObject(value)) continue
    waiting.push(...Object.values(value))
    const { $ref } = value
    if (typeof $ref !== 'string' || copied.has($ref)) continue
    copied.add($ref)
    const names = pointerOf($ref)
    const found = names && lookUp(from, names)
    if (names === null || found === undefined || found === null) continue
    place(to, names, found)
    waiting.push(found)
  }
}

/** Adds a value, but never replaces one, because an existing value is the same or the chosen part of it. */
function place(document: JsonObject, names: readonly string[], value: JsonValue): void {
  let at = document
  for (const name of names.slice(0, -1)) {
    const next = Object.hasOwn(at, name) ? at[name] : undefined
    if (next !== undefined && !isPlainObject(next)) return
    at[name] = { ...next }
    at = at[name]
  }
  const last = names.at(-1)
  if (last !== undefined && !Object.hasOwn(at, last)) at[last] = value
}
