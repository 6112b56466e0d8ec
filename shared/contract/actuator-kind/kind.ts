import type { Completion } from '../configuration/completion.ts'

/**
 * A kind of actuator (specification.md#actuators), as the gate, the analysis, the pages and the commands see it.
 * Rooms ask this descriptor instead of comparing the kind, so that a new kind changes one table.
 */
export interface ActuatorKind<Settings> {
  /** True if no system is called. */
  simulated: boolean
  /** True if a tool without a registered schema is compared with the catalog at the call. */
  comparedAtCall: boolean
  /** The registered operations by name; null if the kind performs any operation. */
  operations(settings: Settings): Readonly<Record<string, object>> | null
  /** The address that identifies the system to people; null if the kind has none. */
  address(settings: Settings): string | null
  /** The URLs that a call may use, by their paths below the settings. */
  urls(settings: Settings): Readonly<Record<string, string | undefined>>
  /** The hash of the schema that is registered for the operation's tool. */
  toolSchemaHash(settings: Settings, operation: string): string | undefined
  /** What the workers run for a call: a program, a module, or neither (null). */
  runs(settings: Settings): 'program' | 'module' | null
  /** True if the secret is part of the URL, which servers and proxies write into their logs. */
  hasSecretInQuery(settings: Settings): boolean
  /** True if the downstream honours the idempotency key; null if only the worker knows. */
  honoursKey(settings: Settings): boolean | null
  /** The operation's own answer to `honoursKey`; null if the operation has none. */
  operationHonoursKey(settings: Settings, operation: string): boolean | null
  /** Milliseconds for which the downstream keeps a key; undefined if the registration does not say. */
  keyRetentionMs(settings: Settings): number | undefined
  /** True unless the registration shows that an unknown outcome cannot be looked up. */
  mayLookUp(settings: Settings): boolean
  /** How an accepted operation ends later; undefined if its answer ends it. */
  completion(settings: Settings, operation: string): Completion | undefined
  /** Settings that fit a catalog whose entries commit to `hash`, for decisions without a tenant. */
  assumed(hash: string | undefined): Settings
}
