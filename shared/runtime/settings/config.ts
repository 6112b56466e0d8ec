import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import type { Issue } from '../../contract/base/errors.ts'
import type { SecretPlace } from '../../contract/configuration/issuer-schema.ts'
import { settings } from './settings.ts'

type Settings = typeof settings

export type Config = {
  [Name in keyof Settings]: Settings[Name]['preset'] extends string
    ? z.output<Settings[Name]['schema']>
    : z.output<Settings[Name]['schema']> | undefined
}

/**
 * An error for invalid start-up input. It lists every problem with its flag, variable or field. The exit code is
 * 2.
 */
export class ConfigError extends Error {
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => `${path}: ${message}`).join('\n'))
    this.name = 'ConfigError'
    this.issues = issues
  }
}

type Environment = Readonly<Record<string, string | undefined>>

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

export interface ActuatorVariables {
  values: ReadonlyMap<string, string>
  files: ReadonlyMap<string, string>
}

const fileSuffix = /_FILE$/

/** Reads only variables that begin with `ACTUATOR_`, so that actuators see no other. Rejects unreadable files. */
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

/**
 * Reads the client secret of an issuer again on each call, so that a changed file takes effect. Throws if there is
 * none.
 */
export function readIssuerSecret(place: SecretPlace, environment: Environment = process.env): string {
  const text = 'env' in place ? environment[place.env] : readFileSync(place.file, 'utf8').trimEnd()
  if (text) return text
  throw new Error(`the client secret ${'env' in place ? place.env : place.file} is not set`)
}

export interface ServiceAccess {
  url: string
  admin_key: string | undefined
  tenant: string | undefined
}

const urlPreset = 'http://127.0.0.1:8080'

export function readServiceAccess(environment: Environment = process.env): ServiceAccess {
  return {
    url: environment.ACTION_GATE_URL || urlPreset,
    admin_key: environment.ACTION_GATE_ADMIN_KEY || undefined,
    tenant: environment.ACTION_GATE_TENANT || undefined,
  }
}

/**
 * Reads a secret from the environment, or from the file that `<name>_FILE` names. A final line break is dropped.
 */
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
