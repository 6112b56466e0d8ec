import type { RegisteredActuator } from '../configuration/actuator-schema.ts'
import { httpKind } from './http-kind.ts'
import type { ActuatorKind } from './kind.ts'
import { mcpKind } from './mcp-kind.ts'
import { mockKind } from './mock-kind.ts'
import { moduleKind } from './module-kind.ts'

type Kind = RegisteredActuator['kind']
type SettingsOf<Of extends Kind> = Extract<RegisteredActuator, { kind: Of }>['settings']

export const actuatorKinds: { readonly [Of in Kind]: ActuatorKind<SettingsOf<Of>> } = {
  mock: mockKind,
  http: httpKind,
  mcp: mcpKind,
  module: moduleKind,
}

/** The descriptor of an actuator, to be called with the settings of that actuator. */
export function kindOf({
  kind,
}: Pick<RegisteredActuator, 'kind'>): ActuatorKind<RegisteredActuator['settings']> {
  return actuatorKinds[kind]
}

/** True for a kind that calls no system; a kind that this version does not know calls one. */
export function isSimulated(kind: string): boolean {
  return isKind(kind) && actuatorKinds[kind].simulated
}

/** An actuator of the kind that a catalog names, or a mock, for decisions without a tenant. */
export function assumedActuator(name: string, named: string, hash: string | undefined): RegisteredActuator {
  const kind = isKind(named) ? named : 'mock'
  return { name, kind, settings: actuatorKinds[kind].assumed(hash) } as RegisteredActuator
}

function isKind(kind: string): kind is Kind {
  return Object.hasOwn(actuatorKinds, kind)
}

/** The settings of one operation of an actuator; undefined if it has none of that name. */
export function operationOf(actuator: RegisteredActuator, operation: string): object | undefined {
  const operations = kindOf(actuator).operations(actuator.settings)
  return operations && Object.hasOwn(operations, operation) ? operations[operation] : undefined
}

/** True if the actuator performs the operation; some kinds perform any. */
export function isRegistered(actuator: RegisteredActuator, operation: string): boolean {
  const operations = kindOf(actuator).operations(actuator.settings)
  return operations === null || Object.hasOwn(operations, operation)
}
