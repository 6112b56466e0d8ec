import type { RegisteredActuator } from '../configuration/actuator-schema.ts'
import { httpKind } from './http-kind.ts'
import type { ActuatorKind } from './kind.ts'
import { mcpKind } from './mcp-kind.ts'
import { mockKind } from './mock-kind.ts'
import { moduleKind } from './module-kind.ts'
import { unknownKind } from './unknown-kind.ts'

type Kind = RegisteredActuator['kind']
type SettingsOf<Of extends Kind> = Extract<RegisteredActuator, { kind: Of }>['settings']

const kinds: { readonly [Of in Kind]: ActuatorKind<SettingsOf<Of>> } = {
  mock: mockKind,
  http: httpKind,
  mcp: mcpKind,
  module: moduleKind,
}

/** Returns the descriptor of a kind, to be called with the settings of an actuator of that kind. */
export function kindOf({ kind }: { kind: string }): ActuatorKind<RegisteredActuator['settings']> {
  return isKind(kind) ? kinds[kind] : unknownKind
}

/** Returns an actuator of the kind that a catalog names, or a mock, for decisions without a tenant. */
export function assumedActuator(name: string, named: string, hash: string | undefined): RegisteredActuator {
  const kind = isKind(named) ? named : 'mock'
  return { name, kind, settings: kinds[kind].assumed(hash) } as RegisteredActuator
}

function isKind(kind: string): kind is Kind {
  return Object.hasOwn(kinds, kind)
}

/** Returns the registered settings of one operation; undefined if the actuator has none of that name. */
export function registeredOperation(actuator: RegisteredActuator, operation: string): object | undefined {
  const operations = kindOf(actuator).operations(actuator.settings)
  return operations && Object.hasOwn(operations, operation) ? operations[operation] : undefined
}

/** Returns true if the actuator performs the operation; kinds without registered operations perform any. */
export function isRegistered(actuator: RegisteredActuator, operation: string): boolean {
  const operations = kindOf(actuator).operations(actuator.settings)
  return operations === null || Object.hasOwn(operations, operation)
}
