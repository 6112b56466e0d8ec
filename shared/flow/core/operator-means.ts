import { placesOf, samePlaces } from '../../actuator/stored-secrets.ts'
import { referencesIn } from '../../actuator/surroundings.ts'
import { kindOf } from '../../contract/actuator-kind/kinds.ts'
import type { Issue } from '../../contract/base/errors.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import { type Author, isOfTenant } from '../../contract/configuration/tenant.ts'
import type { OwnerMay } from '../../contract/configuration/tool-import.ts'
import { wideningsOf } from '../../tool-import/narrow-registration.ts'
import { invalidBelow } from './policy-document.ts'

export function mayNameMeans(author: Author): boolean {
  return !isOfTenant(author)
}

/**
 * Returns how much of a registration an owner may change: all, the request but neither address nor credentials, or
 * only to narrow it. A registration that names the workers' variables, programs or modules is the operator's,
 * because an owner who writes its requests would send the operator's secrets with them. The operator may hand it
 * to the owner.
 */
export function ownerMay(registered: RegisteredActuator | undefined): OwnerMay {
  if (registered === undefined || !namesMeans(registered)) return 'change_all'
  return isGiven(registered) ? 'change_at_its_places' : 'narrow'
}

/** Rejects a forbidden change of a registration; every flow in which an owner registers an actuator calls this. */
export function refuseWidening(
  author: Author,
  given: readonly RegisteredActuator[],
  registered: readonly RegisteredActuator[],
): void {
  const issues = given.flatMap(actuator => wideningIssues(author, actuator, registered))
  if (issues.length > 0) throw invalidBelow('only an operator may change this', issues, '')
}

/**
 * Returns the issues that forbid an author a registration, or none. Variables, programs and modules of the workers
 * belong to the operator; the tenant's stored secrets are its own and are bound to their addresses separately.
 */
export function wideningIssues(
  author: Author,
  actuator: RegisteredActuator,
  actuators: readonly RegisteredActuator[],
): Issue[] {
  if (mayNameMeans(author)) return []
  const registered = actuators.find(({ name }) => name === actuator.name)
  const may = ownerMay(registered)
  if (registered && may === 'narrow') {
    return wideningsOf(registered, actuator).map(path =>
      means(`actuator.${path}`, 'the registration is the operator’s, and an owner may only narrow it'),
    )
  }
  return issuesOfMeans(actuator, may === 'change_at_its_places' ? registered : undefined)
}

function issuesOfMeans(actuator: RegisteredActuator, given: RegisteredActuator | undefined): Issue[] {
  const kept = given && samePlace(given, actuator) ? given : undefined
  const runs = runsOf(actuator)
  const known = new Set(kept ? variablesOf(kept.settings) : [])
  return [
    ...variablesOf(actuator.settings)
      .filter(name => !known.has(name))
      .map(name => means('actuator.settings', `${name} is a variable of the workers`)),
    ...(runs !== null && !kept ? [ofWorkers[runs]] : []),
  ]
}

function isGiven({ settings }: RegisteredActuator): boolean {
  return 'owner_may_change' in settings && settings.owner_may_change === true
}

function namesMeans(actuator: RegisteredActuator): boolean {
  return variablesOf(actuator.settings).length > 0 || runsOf(actuator) !== null
}

function means(path: string, what: string): Issue {
  return { path, code: 'operator_only', message: `${what}: ask whoever operates the service to register it` }
}

const ofWorkers = {
  program: means('actuator.settings.transport', 'the server is a program of the workers'),
  module: means('actuator.kind', 'modules are code of the workers'),
}

/** Returns what the workers run for a call of the actuator, or null. */
export function runsOf(actuator: RegisteredActuator): 'program' | 'module' | null {
  return kindOf(actuator).runs(actuator.settings)
}

export function variablesOf(settings: unknown): string[] {
  const names = referencesIn(settings).flatMap(({ reference }) => ('env' in reference ? [reference.env] : []))
  return [...new Set(names)]
}

/** True if both registrations send their secrets to the same addresses, including those of a `token_url`. */
function samePlace(left: RegisteredActuator, right: RegisteredActuator): boolean {
  const isSameOrigin = samePlaces(placesOf(left), placesOf(right))
  const kind = kindOf(left)
  return (
    left.kind === right.kind && isSameOrigin && kind.address(left.settings) === kind.address(right.settings)
  )
}
