import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Actuator } from '../shared/actuator/actuator.ts'
import { reasonOf } from '../shared/actuator/recorded-text.ts'
import { ConfigError } from '../shared/runtime/settings/config.ts'

/** Loads the modules named by `--actuators` and returns their exports that have the Actuator interface. */
export async function loadActuators(files: readonly string[]): Promise<Actuator[]> {
  const loaded: Actuator[] = []
  for (const file of files) loaded.push(...(await loadModule(file)))
  return loaded
}

async function loadModule(file: string): Promise<Actuator[]> {
  const exported = await importFile(file)
  const found = exportedActuators(file, exported)
  if (found.length === 0) throw flagError(`${file} exports no actuator (name, idempotency, invoke)`)
  return found
}

function exportedActuators(file: string, exported: Record<string, unknown>): Actuator[] {
  try {
    return Object.values(exported).filter(isActuator)
  } catch (error) {
    throw flagError(`${file} exports what cannot be read: ${reasonOf(error)}`)
  }
}

async function importFile(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>
  } catch (error) {
    throw flagError(`${file} cannot be loaded: ${reasonOf(error)}`)
  }
}

function isActuator(value: unknown): value is Actuator {
  if (typeof value !== 'object' || value === null) return false
  const { name, idempotency, invoke } = value as Partial<Actuator>
  const declared = idempotency === 'key_honoured' || idempotency === 'none'
  return typeof name === 'string' && declared && typeof invoke === 'function'
}

function flagError(message: string): ConfigError {
  return new ConfigError([{ path: '--actuators', code: 'invalid_actuators', message }])
}
