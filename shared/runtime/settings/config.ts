import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import type { Issue } from '../../contract/base/errors.ts'
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

type Environment = Readonly<Record<string, string | undefined>>

/** Read every setting from an environment; all problems at once. */
export function readConfig(environment: Environment = process.env): Config {
  const issues: Issue[] = []
  const entries = Object.entries(settings).map(([name, setting]) => {
    const { env, preset, schema } = setting
    const found = 'secret' in setting ? readSecret(environment, env) : { text: environment[env] || undefined }
    if ('issue' in found) {
      issues.push(found.issue)
      return [name, undefined]
    }
    const text = found.text ?? preset
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

/**
 * Variables that actuators may refer to by name; a prefix of their own keeps all others out of reach. `ACTUATOR_X_FILE`
 * names a file with the value of `ACTUATOR_X`.
 */
export function readActuatorSecrets(environment: Environment = process.env): ReadonlyMap<string, string> {
  const names = Object.keys(environment).filter(name => name.startsWith('ACTUATOR_'))
  const entries = [...new Set(names.map(name => name.replace(fileSuffix, '')))].flatMap(name => {
    const found = readSecret(environment, name)
    if ('issue' in found) throw new ConfigError([found.issue])
    return found.text ? [[name, found.text] as const] : []
  })
  return new Map(entries)
}

const fileSuffix = /_FILE$/

/** A secret as it stands in the environment, or in the file that `<name>_FILE` names, without the line's end. */
function readSecret(environment: Environment, name: string): { text: string | undefined } | { issue: Issue } {
  const given = environment[name] || undefined
  const path = `${name}_FILE`
  const file = environment[path]
  if (!file) return { text: given }
  const refuse = (code: string, message: string) => ({ issue: { path, code, message } })
  if (given !== undefined) return refuse('ambiguous', `set this or ${name}, not both`)
  try {
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    return text === '' ? refuse('empty_file', 'the file is empty') : { text }
  } catch (error) {
    return refuse(
      'unreadable_file',
      `cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
