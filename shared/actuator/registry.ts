import { mockSettingsSchema } from '../contract/actuator.ts'
import { httpSettingsSchema } from '../contract/http-actuator.ts'
import { mcpSettingsSchema } from '../contract/mcp-actuator.ts'
import type { Actuator } from './actuator.ts'
import { httpActuator } from './http/http-actuator.ts'
import { mcpActuator } from './mcp/mcp-actuator.ts'
import { mockActuator } from './mock-actuator.ts'
import { reasonOf } from './reason-of.ts'
import { soundActuator } from './sound-actuator.ts'
import { missingSecrets, type Surroundings } from './surroundings.ts'

/** Why no call can be made: its code and message end an action before any effect. */
export interface Unavailable {
  code: string
  message: string
}

/** Finds the actuator for a registration of a tenant. */
export type Registry = (registration: {
  name: string
  kind: string
  settings: unknown
}) => Actuator | Unavailable

export function createRegistry(around: Surroundings): Registry {
  const loaded = new Map(around.modules.map(actuator => [actuator.name, actuator]))
  return registration => {
    const { name, kind, settings } = registration
    const [missing] = missingSecrets(registration, around.secrets)
    if (missing)
      return { code: 'secret_missing', message: `${missing.path} is not set, and ${missing.message}` }
    if (kind === 'mock') return made(name, mockSettingsSchema.safeParse(settings), mockActuator)
    if (kind === 'http') return made(name, httpSettingsSchema.safeParse(settings), httpActuator, around)
    if (kind === 'mcp') return made(name, mcpSettingsSchema.safeParse(settings), mcpActuator, around)
    const module = kind === 'module' ? loaded.get(name) : undefined
    if (!module) return { code: 'actuator_not_available', message: `no worker offers the actuator ${name}` }
    return behindWall(name, () => soundActuator(module))
  }
}

/** What code of an actuator answers; what it throws is of that actuator alone. */
export function behindWall<Answer>(name: string, ask: () => Answer): Answer | Unavailable {
  try {
    return ask()
  } catch (error) {
    return { code: 'actuator_faulty', message: `the actuator ${name} is broken: ${reasonOf(error)}` }
  }
}

/** Settings as their schema read them. */
type Read<Settings> =
  | { success: true; data: Settings }
  | { success: false; error: { issues: readonly { path: readonly PropertyKey[] }[] } }

/** Settings that this worker does not understand, such as a newer release's, are of one registration: others go on. */
function made<Settings, Given extends unknown[]>(
  name: string,
  read: Read<Settings>,
  make: (name: string, settings: Settings, ...given: Given) => Actuator,
  ...given: Given
): Actuator | Unavailable {
  if (read.success) return behindWall(name, () => make(name, read.data, ...given))
  const at = read.error.issues[0]?.path.join('.') ?? ''
  return {
    code: 'actuator_settings_not_understood',
    message: `this worker does not understand the settings of ${name}, at settings.${at}`,
  }
}
