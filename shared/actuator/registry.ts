import { mockSettingsSchema } from '../contract/actuator.ts'
import type { Actuator } from './actuator.ts'
import { mockActuator } from './mock-actuator.ts'

/** Finds the actuator for a registration of a tenant; null when this process has none. */
export type Registry = (registration: { name: string; kind: string; settings: unknown }) => Actuator | null

/** `modules` are the actuators loaded by `--actuators`, found by their name. */
export function createRegistry(modules: readonly Actuator[]): Registry {
  const loaded = new Map(modules.map(actuator => [actuator.name, actuator]))
  return ({ name, kind, settings }) => {
    if (kind === 'mock') return mockActuator(name, mockSettingsSchema.parse(settings))
    if (kind === 'module') return loaded.get(name) ?? null
    return null
  }
}
