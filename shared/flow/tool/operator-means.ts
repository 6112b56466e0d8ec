import { secretsOf } from '../../actuator/surroundings.ts'
import { canonicalJson } from '../../canon/canonical-json.ts'
import type { Issue } from '../../contract/base/errors.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator.ts'
import type { McpSettings } from '../../contract/configuration/mcp-actuator.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { TenantDocuments } from '../../tool-import/place-tool.ts'
import { invalidBelow } from '../core/policy-document.ts'
import { actuatorOf } from './tenant-tools.ts'

/** Whether somebody may name what belongs to whoever operates the workers. */
export function mayNameMeans(author: Author): boolean {
  return !('account_id' in author)
}

/**
 * Variables, programs and modules of the workers belong to the operator: with them an owner could send the secrets of
 * others to a server of their own. What an operator registered, an owner may keep, as long as it goes to the same place.
 */
export function refuseMeansOfOperator(
  author: Author,
  actuator: RegisteredActuator,
  documents: TenantDocuments,
): void {
  if (mayNameMeans(author)) return
  const registered = actuatorOf(documents, actuator.name)
  const kept = registered && samePlace(registered, actuator) ? registered : undefined
  const known = new Set(kept ? secretsOf(kept.settings) : [])
  const issues: Issue[] = [
    ...secretsOf(actuator.settings)
      .filter(name => !known.has(name))
      .map(name => means('actuator.settings', `${name} is a variable of the workers`)),
    ...(usesProgram(actuator) && !kept
      ? [means('actuator.settings.transport', 'the server is a program of the workers')]
      : []),
    ...(actuator.kind === 'module' && registered?.kind !== 'module'
      ? [means('actuator.kind', 'modules are code of the workers')]
      : []),
  ]
  if (issues.length > 0) throw invalidBelow('only an operator may name this', issues, '')
}

function means(path: string, what: string): Issue {
  return { path, code: 'operator_only', message: `${what}: ask whoever operates the service to register it` }
}

export function usesProgram({ kind, settings }: RegisteredActuator): boolean {
  return kind === 'mcp' && settings.transport.type === 'stdio'
}

/** Where calls go, without what authenticates them. */
function samePlace(left: RegisteredActuator, right: RegisteredActuator): boolean {
  return left.kind === right.kind && placeOf(left) === placeOf(right)
}

function placeOf({ settings }: RegisteredActuator): string {
  const { base_url, transport } = settings as { base_url?: string; transport?: McpSettings['transport'] }
  const server = transport?.type === 'stdio' ? transport.server : transport?.url
  return canonicalJson([base_url ?? null, server ?? null] as JsonValue)
}
