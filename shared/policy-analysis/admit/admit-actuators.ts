import { isRegistered, kindOf } from '../../contract/actuator-kind/kinds.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { Hole } from '../../contract/configuration/admission.ts'
import type { AllowedOperation } from './admit-entries.ts'
import { hole } from './admit-hole.ts'
import { idempotencyHoles } from './admit-idempotency.ts'
import type { AdmissionInput } from './admit-input.ts'

/** Returns the admission holes between allowed operations and their actuators: ACT-1 to ACT-3, IDM-1 to IDM-3. */
export function actuatorHoles(input: AdmissionInput, allowed: readonly AllowedOperation[]): Hole[] {
  const { policy, actuators, mode, deployment } = input
  const systems = new Set(policy.allowed_systems)
  const bySystem = groupBySystem(allowed)
  const byName = new Map(actuators.map(actuator => [actuator.name, actuator]))
  return [
    ...policy.allowed_systems.filter(system => !byName.has(system)).map(unregistered),
    ...allowed.flatMap(operation => bindingHoles(operation, byName.get(operation.system))),
    ...actuators
      .filter(actuator => mode === 'strict' && kindOf(actuator).simulated && systems.has(actuator.name))
      .map(mock),
    ...actuators.filter(({ name }) => !systems.has(name)).map(unused),
    ...actuators.flatMap(actuator => {
      const { name } = actuator
      if (!systems.has(name)) return []
      return idempotencyHoles(actuator, bySystem.get(name) ?? [], deployment.retry_horizon_ms)
    }),
  ]
}

function groupBySystem(allowed: readonly AllowedOperation[]): Map<string, AllowedOperation[]> {
  const bySystem = new Map<string, AllowedOperation[]>()
  for (const operation of allowed) {
    const before = bySystem.get(operation.system)
    if (before) before.push(operation)
    else bySystem.set(operation.system, [operation])
  }
  return bySystem
}

function unregistered(system: string): Hole {
  const path = ['policy', 'allowed_systems']
  return hole('ACT-1', 'the system is allowed and no actuator of its name is registered', { system, path })
}

function bindingHoles(allowed: AllowedOperation, actuator: RegisteredActuator | undefined): Hole[] {
  const { system, operation, entry } = allowed
  if (!actuator) return []
  const named = entry?.entry.actuator
  const holes: Hole[] = []
  if (entry && named && (named.name !== actuator.name || named.kind !== actuator.kind)) {
    const message = `the catalog binds the operation to the ${named.kind} actuator "${named.name}", and registered is the ${actuator.kind} actuator "${actuator.name}"`
    holes.push(hole('ACT-1', message, { system, operation, path: [...entry.path, 'actuator'] }))
  }
  if (!isRegistered(actuator, operation)) {
    const message = 'the registered actuator does not know the operation'
    holes.push(hole('ACT-1', message, { system, operation, path: ['actuators', system, 'settings'] }))
  }
  return holes
}

function mock({ name }: RegisteredActuator): Hole {
  const message = 'what is allowed is only played by a mock'
  return hole('ACT-2', message, { system: name, path: ['actuators', name] })
}

function unused({ name }: RegisteredActuator): Hole {
  const message = 'the actuator is registered and the policy does not allow its system'
  return hole('ACT-3', message, { system: name, path: ['actuators', name] })
}
