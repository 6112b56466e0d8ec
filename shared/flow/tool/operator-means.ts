import { placesOf, samePlaces } from '../../actuator/stored-secrets.ts'
import { referencesIn } from '../../actuator/surroundings.ts'
import { canonicalJson } from '../../canon/canonical-json.ts'
import type { Issue } from '../../contract/base/errors.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { McpSettings } from '../../contract/configuration/mcp-actuator-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { TenantDocuments } from '../../tool-import/place-tool.ts'
import { isOfTenant } from '../core/change-config.ts'
import { invalidBelow } from '../core/policy-document.ts'
import { actuatorOf } from './tenant-tools.ts'

/** Whether somebody may name what belongs to whoever operates the workers. */
export function mayNameMeans(author: Author): boolean {
  return !isOfTenant(author)
}

/**
 * Variables, programs and modules of the workers belong to the operator: with them an owner could send the secrets of
 * others to a server of their own. What an operator registered, an owner may keep, as long as it goes to the same places.
 * Secrets that the tenant has stored are its own, and bound to their places by themselves.
 */
export function refuseMeansOfOperator(
  author: Author,
  actuator: RegisteredActuator,
  documents: TenantDocuments,
): void {
  if (mayNameMeans(author)) return
  const registered = actuatorOf(documents, actuator.name)
  const kept = registered && samePlace(registered, actuator) ? registered : undefined
  const known = new Set(kept ? variablesOf(kept.settings) : [])
  const issues: Issue[] = [
    ...variablesOf(actuator.settings)
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

/** Variables of the workers that settings name. */
export function variablesOf(settings: unknown): string[] {
  const names = referencesIn(settings).flatMap(({ reference }) => ('env' in reference ? [reference.env] : []))
  return [...new Set(names)]
}

/** Where calls go, and where tokens for them are asked for. */
function samePlace(left: RegisteredActuator, right: RegisteredActuator): boolean {
  const isSameOrigin = samePlaces(placesOf(left.settings), placesOf(right.settings))
  return left.kind === right.kind && isSameOrigin && placeOf(left) === placeOf(right)
}

function placeOf({ settings }: RegisteredActuator): string {
  const { base_url, transport } = settings as { base_url?: string; transport?: McpSettings['transport'] }
  const server = transport?.type === 'stdio' ? transport.server : transport?.url
  return canonicalJson([base_url ?? null, server ?? null] as JsonValue)
}
