import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import type { Issue } from '../../contract/base/errors.ts'
import type { SecretPlace } from '../../contract/configuration/issuer-schema.ts'
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

/** Where variables that actuators may refer to have their values: in the environment itself, or in files. */
export interface ActuatorVariables {
  values: ReadonlyMap<string, string>
  /** The file that `<name>_FILE` names, by the name of the variable. */
  files: ReadonlyMap<string, string>
}

const fileSuffix = /_FILE$/

/** A prefix of their own keeps all other variables out of reach. A file that cannot be read is a ConfigError. */
export function readActuatorVariables(environment: Environment = process.env): ActuatorVariables {
  const set = Object.keys(environment).filter(name => name.startsWith('ACTUATOR_') && environment[name])
  const values = new Map<string, string>()
  const files = new Map<string, string>()
  for (const name of new Set(set.map(variable => variable.replace(fileSuffix, '')))) {
    const found = readSecret(environment, name)
    if ('issue' in found) throw new ConfigError([found.issue])
    const file = environment[`${name}_FILE`]
    if (file) files.set(name, file)
    else if (found.text !== undefined) values.set(name, found.text)
  }
  return { values, files }
}

/** What a client proves itself to an issuer with; a file that changes is read again. Throws where it is not there. */
export function readIssuerSecret(place: SecretPlace, environment: Environment = process.env): string {
  const text = 'env' in place ? environment[place.env] : readFileSync(place.file, 'utf8').trimEnd()
  if (text) return text
  throw new Error(`the client secret ${'env' in place ? place.env : place.file} is not set`)
}

/** Where a command of an operator finds a running service. */
export interface ServiceAccess {
  url: string
  admin_key: string | undefined
  tenant: string | undefined
}

const urlPreset = 'http://127.0.0.1:8080'

/** Commands read the variables that every document exports. */
export function readServiceAccess(environment: Environment = process.env): ServiceAccess {
  return {
    url: environment.ACTION_GATE_URL || urlPreset,
    admin_key: environment.ACTION_GATE_ADMIN_KEY || undefined,
    tenant: environment.ACTION_GATE_TENANT || undefined,
  }
}

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
