import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createBoundedMap } from '../bounded-map.ts'
import { monotonicMs } from '../clock.ts'
import { ConfigError, readActuatorVariables } from '../settings/config.ts'

export type ActuatorSecrets = Pick<ReadonlyMap<string, string>, 'get' | 'has' | 'keys'>

export interface SecretPlaces {
  environment?: Readonly<Record<string, string | undefined>>
  directory?: string | undefined
  now?: () => number
}

const variable = /^ACTUATOR_[A-Z0-9_]{1,100}$/
/** Each file is checked for changes at most once per second. */
const lookMs = 1_000
const bytesMax = 65_536
const filesMax = 1_000

/**
 * Reads secrets from the environment, from the file that `<name>_FILE` names, or from a file in the directory. A
 * changed file is read again. A missing or empty file holds no secret. An unreadable source at start-up is a
 * ConfigError.
 */
export function openActuatorSecrets(places: SecretPlaces = {}): ActuatorSecrets {
  const { environment, directory, now = monotonicMs } = places
  const { values, files } = readActuatorVariables(environment)
  const named = new Map([...files].map(([name, path]) => [name, watchFile(path, now)]))
  const ofDirectory = directory === undefined ? null : watchDirectory(directory, now)
  const get = (name: string): string | undefined =>
    values.get(name) ?? named.get(name)?.() ?? ofDirectory?.get(name)
  return {
    get,
    has: name => get(name) !== undefined,
    keys() {
      const names = [...values.keys(), ...named.keys(), ...(ofDirectory?.names() ?? [])]
      return new Set(names.filter(name => get(name) !== undefined)).keys()
    },
  }
}

/** Returns the text of a file, at most 1 second old; undefined if the file is gone or unreadable. */
function watchFile(path: string, now: () => number): () => string | undefined {
  let looked = Number.NEGATIVE_INFINITY
  let stamp = ''
  let text: string | undefined
  return () => {
    if (now() - looked < lookMs) return text
    looked = now()
    try {
      const found = stampOf(path)
      if (found !== stamp) text = readFileSync(path, 'utf8').replace(/\r?\n$/, '') || undefined
      stamp = found
    } catch {
      stamp = ''
      text = undefined
    }
    return text
  }
}

function watchDirectory(directory: string, now: () => number) {
  listed(directory, error => {
    const message = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
    const path = 'SERVICE_ACTUATOR_SECRETS_DIR'
    throw new ConfigError([{ path, code: 'unreadable_directory', message }])
  })
  const watched = createBoundedMap<() => string | undefined>(filesMax)
  return {
    get(name: string): string | undefined {
      if (!variable.test(name)) return undefined
      const known = watched.get(name)
      const file = known ?? watchFile(join(directory, name), now)
      if (!known) watched.put(name, file)
      return file()
    },
    names: () => listed(directory, () => []).filter(name => variable.test(name)),
  }
}

function listed(directory: string, failed: (error: unknown) => string[]): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    return failed(error)
  }
}

function stampOf(path: string): string {
  const found = statSync(path)
  if (!found.isFile() || found.size > bytesMax) throw new Error(`${path} is no file that holds a secret`)
  return `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`
}
