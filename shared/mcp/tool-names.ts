import { hex, sha256 } from '../canon/digest.ts'
import type { Issue } from '../contract/base/errors.ts'

export interface OperationName {
  system: string
  operation: string
}

const lengthMax = 64
const digestLength = 8

/**
 * Returns tool names `system__operation`. A name ends in a digest if two names would be equal or one is too
 * long.
 */
export function toolNames(operations: readonly OperationName[]): string[] {
  const plain = operations.map(plainName)
  const shared = repeated(plain)
  return plain.map((name, at) =>
    name.length > lengthMax || shared.has(name) ? digestName(name, operations[at] as OperationName) : name,
  )
}

/** Warns of operations that would have the same tool name, because the names of both end in a digest. */
export function toolNameProblems(operations: readonly OperationName[], prefix: string): Issue[] {
  const plain = operations.map(plainName)
  const shared = repeated(plain)
  return operations.flatMap(({ system, operation }, at) => {
    const name = plain[at] as string
    if (!shared.has(name)) return []
    const path = [prefix, system, operation].filter(part => part !== '').join('.')
    const message = `another operation has the tool name ${name} too: through MCP both end in a digest`
    return [{ path, code: 'tool_name_shared', message }]
  })
}

/** Writes `_` for each character that clients refuse in tool names. */
function plainName({ system, operation }: OperationName): string {
  return [system, operation].map(part => part.replaceAll(/[^A-Za-z0-9_-]/g, '_')).join('__')
}

function digestName(plain: string, { system, operation }: OperationName): string {
  const digest = hex(sha256(`${system}\n${operation}`)).slice(0, digestLength)
  return `${plain.slice(0, lengthMax - digestLength - 1)}_${digest}`
}

function repeated(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>()
  return new Set(names.filter(name => seen.size === seen.add(name).size))
}
