import type { Issue } from '../contract/errors.ts'
import { secretReferenceSchema } from '../contract/http-actuator.ts'
import type { JsonValue } from '../contract/json.ts'
import type { Actuator } from './actuator.ts'
import type { EgressGuard } from './egress/egress-guard.ts'

/** What the actuators of a worker have around them. */
export interface Surroundings {
  /** Loaded by `--actuators`. */
  modules: readonly Actuator[]
  /** Values of the variables that registrations may refer to, by name. */
  secrets: ReadonlyMap<string, string>
  /** Where they may connect to. */
  egress: EgressGuard
  /** Programs that may be started as Model Context Protocol servers. */
  mcpCommands: readonly string[]
}

/** Names of the environment variables that settings refer to, wherever in them. */
export function secretsOf(settings: unknown): string[] {
  return [...new Set(referencesIn(settings as JsonValue))]
}

/** What a registration refers to and the environment does not have. */
export function missingSecrets(
  { name, settings }: { name: string; settings: unknown },
  secrets: ReadonlyMap<string, string>,
): Issue[] {
  return secretsOf(settings)
    .filter(env => !secrets.get(env))
    .map(env => ({ path: env, code: 'required', message: `actuator ${name} refers to it` }))
}

function referencesIn(value: JsonValue): string[] {
  if (typeof value !== 'object' || value === null) return []
  const reference = secretReferenceSchema.safeParse(value)
  return reference.success ? [reference.data.env] : Object.values(value).flatMap(referencesIn)
}
