import { setTimeout as delay } from 'node:timers/promises'
import {
  type MockSettings,
  mockSettingsSchema,
  type Outcome,
} from '../contract/configuration/actuator-schema.ts'
import { httpSettingsSchema } from '../contract/configuration/http-actuator-schema.ts'
import { mcpSettingsSchema } from '../contract/configuration/mcp-actuator-schema.ts'
import type { Actuator, Invocation } from './actuator.ts'
import { httpActuator } from './http/http-actuator.ts'
import { mcpActuator } from './mcp/mcp-actuator.ts'
import { reasonOf } from './recorded-text.ts'
import { soundActuator } from './sound-actuator.ts'
import { noneStored, openingSecrets, placesOf, withoutWords } from './stored-secrets.ts'
import {
  type ActuatorDependencies,
  type Lack,
  lacksOf,
  ownSecrets,
  type RegistryDependencies,
  settingsIn,
  storedSecretsOf,
} from './surroundings.ts'

/** A reason why no call can be made. The action ends before any effect. */
export interface Unavailable {
  code: string
  message: string
}

export type Registry = (registration: {
  name: string
  kind: string
  settings: unknown
}) => Actuator | Unavailable

/**
 * Creates a registry. Each actuator gets only the secrets that its registration names, with their current
 * values.
 */
export function createRegistry(dependencies: RegistryDependencies): Registry {
  const find = findIn(dependencies.modules)
  return registration => {
    const around = { ...dependencies, secrets: ownSecrets(registration, dependencies) }
    const found = find(registration, around)
    const [lack] = 'code' in found ? [] : lacksHere(registration, around)
    if (lack) return waitingFor(lack, found as Actuator)
    return 'code' in found ? found : withStored(found, registration, { around, find })
  }
}

/**
 * Makes the actuator anew at each call if its registration names stored secrets, because they are opened per
 * call.
 */
function withStored(
  actuator: Actuator,
  registration: Parameters<Registry>[0],
  { around, find }: { around: ActuatorDependencies; find: Find },
): Actuator {
  const { name, settings } = registration
  const names = storedSecretsOf(settings)
  if (names.length === 0) return actuator
  return openingSecrets(actuator, {
    open: around.stored ?? noneStored,
    wanted: { actuator: name, names, places: placesOf(registration) },
    waits_ms: waitsMs,
    make: opened => find(registration, { ...around, secrets: new Map([...around.secrets, ...opened]) }),
  })
}

type Find = (registration: Parameters<Registry>[0], around: ActuatorDependencies) => Actuator | Unavailable

function findIn(modules: readonly Actuator[]): Find {
  const loaded = new Map(modules.map(actuator => [actuator.name, actuator]))
  return ({ name, kind, settings }, around) => {
    if (kind === 'mock') return made(name, mockSettingsSchema.safeParse(settings), mockActuator)
    if (kind === 'http') return made(name, httpSettingsSchema.safeParse(settings), httpActuator, around)
    if (kind === 'mcp') return made(name, mcpSettingsSchema.safeParse(settings), mcpActuator, around)
    if (kind !== 'module')
      return { code: 'actuator_not_available', message: `no worker knows actuators of the kind ${kind}` }
    const module = loaded.get(name)
    return module ? contained(name, () => soundActuator(module)) : notLoaded(name)
  }
}

/** Milliseconds between tries of a waiting job, so that the job soon reaches a worker that can make the call. */
const waitsMs = 60_000

/** Answers `busy`, which uses up no attempt, because another worker may have what this worker lacks. */
function waitingFor({ code, message }: Unavailable, actuator: Actuator): Actuator {
  const told = { code, message: `this worker cannot call ${actuator.name}: ${message}` }
  return {
    ...actuator,
    invoke: async () => ({ class: 'busy', ...told, retry_after_ms: waitsMs }),
    ...(actuator.poll ? { poll: async () => ({ class: 'busy', ...told }) } : {}),
    ...(actuator.calledBack ? { calledBack: called => withoutWords(actuator, called, told) } : {}),
    ...(actuator.lookup ? { lookup: async () => ({ found: 'unclear', ...told }) } : {}),
  }
}

/**
 * Makes an actuator that waits for a module that is not loaded. It counts as not idempotent, because its key
 * handling is unknown.
 */
function notLoaded(name: string): Actuator {
  const lack = { code: 'actuator_not_available', message: 'no file of its --actuators exports it' }
  const unknown = new Error('it is not loaded')
  const module: Actuator = {
    name,
    idempotency: 'none',
    invoke: () => Promise.reject(unknown),
    lookup: () => Promise.reject(unknown),
  }
  return waitingFor(lack, module)
}

function lacksHere(registration: { settings: unknown }, around: ActuatorDependencies): Lack[] {
  return settingsIn(registration, around).flatMap(settings => lacksOf({ settings }, around))
}

export function contained<Answer>(name: string, ask: () => Answer): Answer | Unavailable {
  try {
    return ask()
  } catch (error) {
    return { code: 'actuator_faulty', message: `the actuator ${name} is broken: ${reasonOf(error)}` }
  }
}

type Read<Settings> =
  | { success: true; data: Settings }
  | { success: false; error: { issues: readonly { path: readonly PropertyKey[] }[] } }

/**
 * Refuses settings that this worker cannot parse, such as those of a newer release. Other registrations still
 * work.
 */
function made<Settings, Given extends unknown[]>(
  name: string,
  read: Read<Settings>,
  make: (name: string, settings: Settings, ...given: Given) => Actuator,
  ...given: Given
): Actuator | Unavailable {
  if (read.success) return contained(name, () => make(name, read.data, ...given))
  const at = read.error.issues[0]?.path.join('.') ?? ''
  return {
    code: 'actuator_settings_not_understood',
    message: `this worker does not understand the settings of ${name}, at settings.${at}`,
  }
}

/** Creates a mock that has no effect outside and says so with `dry_run` (specification.md#actuators). */
export function mockActuator(name: string, settings: MockSettings): Actuator {
  return {
    name,
    idempotency: settings.idempotency ?? 'key_honoured',
    async invoke(invocation) {
      if (settings.delay_ms) await delay(settings.delay_ms, undefined, { signal: invocation.signal })
      return play(settings.outcome ?? 'ok', invocation)
    },
  }
}

function play(outcome: NonNullable<MockSettings['outcome']>, invocation: Invocation): Outcome {
  if (outcome === 'throw') throw new Error('the mock actuator was told to throw')
  if (outcome !== 'ok') {
    return {
      class: outcome,
      code: `mock_${outcome}`,
      message: `the mock actuator was told to answer ${outcome}`,
    }
  }
  const { operation: executed, target_system: target } = invocation
  return { class: 'ok', detail: { executed, target, dry_run: true } }
}
