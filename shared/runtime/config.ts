import type { z } from 'zod'
import type { Issue } from '../contract/errors.ts'
import { settings } from './settings.ts'

type Settings = typeof settings

/** The environment as the service reads it; names as in the settings table, durations in milliseconds. */
export type Config = {
  [Name in keyof Settings]: Settings[Name]['preset'] extends string
    ? z.output<Settings[Name]['schema']>
    : z.output<Settings[Name]['schema']> | undefined
}

/** Invalid start-up input: every problem with the path of its flag, variable or field. Exit code 2. */
export class ConfigError extends Error {
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => `${path}: ${message}`).join('\n'))
    this.name = 'ConfigError'
    this.issues = issues
  }
}

/** Read every setting from an environment; all problems at once. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const issues: Issue[] = []
  const entries = Object.entries(settings).map(([name, { env, preset, schema }]) => {
    const text = environment[env] || preset
    if (text === undefined) return [name, undefined]
    const read = schema.safeParse(text)
    if (!read.success) {
      issues.push(...read.error.issues.map(({ code, message }) => ({ path: env, code, message })))
    }
    return [name, read.data]
  })
  if (environment.NODE_ENV === 'production' && environment.SERVICE_FAILPOINT) {
    issues.push({ path: 'SERVICE_FAILPOINT', code: 'refused', message: 'is for tests, not for production' })
  }
  if (issues.length > 0) throw new ConfigError(issues)
  return Object.fromEntries(entries) as Config
}

/** Variables that actuators may refer to by name; a prefix of their own keeps all others out of reach. */
export function readActuatorSecrets(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ReadonlyMap<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]) =>
    name.startsWith('ACTUATOR_') && value ? [[name, value] as const] : [],
  )
  return new Map(entries)
}
