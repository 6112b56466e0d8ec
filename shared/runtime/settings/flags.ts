import { readCommandLine } from '../../command-line.ts'
import { isVisible } from '../../contract/base/identifier.ts'
import { limits } from '../../contract/base/limits.ts'
import { ConfigError } from './config.ts'
import { isPostgresUrl, postgresUrlRefusal } from './setting.ts'

/** The flags of the service (specification.md#modes-and-start-up). */
export interface Flags {
  step: Step | undefined
  host: string
  port: number
  config: string | undefined
  tenantDb: string | undefined
  apiKeyDb: string | undefined
  bootstrapAdminKeyName: string | undefined
  actuators: readonly string[]
  platform: boolean
}

const flagTable = {
  host: { type: 'string', value: 'ADDRESS', worker: true, does: 'listens there; 127.0.0.1 unless given' },
  port: { type: 'string', value: 'NUMBER', worker: false, does: '8080 unless given, 0 for a free one' },
  config: { type: 'string', value: 'FILE', worker: false, does: 'JSON with tenants, policies and actuators' },
  'tenant-db': {
    type: 'string',
    value: 'PLACE',
    worker: true,
    does: 'directory of an embedded database, or a postgres:// URL',
  },
  'api-key-db': { type: 'string', value: 'PLACE', worker: true, does: 'the same for API keys' },
  'bootstrap-admin-key-name': {
    type: 'string',
    value: 'NAME',
    worker: false,
    does: 'makes an admin key and prints it, once',
  },
  actuators: {
    type: 'string',
    multiple: true,
    value: 'FILE',
    worker: true,
    does: 'JavaScript module with actuators; may be repeated',
  },
  platform: { type: 'boolean', value: '', worker: false, does: 'leaves the execution to workers' },
} as const

type Program = 'service' | 'worker'

/** The commands that run once and end. Each has the program that has the keys for the command. */
const steps = {
  migrate: { program: 'service', value: '', does: 'brings the databases to the newest schema' },
  bootstrap: { program: 'service', value: ' NAME', does: 'makes an admin key and prints it, once' },
  'rewrap-secrets': {
    program: 'worker',
    value: '',
    does: 'wraps the keys of stored secrets for the newest key',
  },
} as const satisfies Record<string, { program: Program; value: string; does: string }>

type Step = keyof typeof steps

export function usageOf(program: Program): string {
  const flags = Object.entries(flagTable).filter(([, { worker }]) => worker || program === 'service')
  const lines = flags.map(([name, { value, does }]) => `  ${`--${name} ${value}`.padEnd(33)} ${does}`)
  const own = Object.entries(steps).filter(([, step]) => step.program === program)
  const words = own.map(([name, { value, does }]) => `  ${`${name}${value}`.padEnd(33)} ${does}, and ends`)
  return `usage: ${program} [step] [flags]

${program === 'service' ? 'API and worker in one process, or with DATABASE_URL the API alone.' : 'A worker of the platform mode: executes what the API allows.'}

${words.join('\n')}

${lines.join('\n')}
  -h, --help                        prints this
  --version                         prints the version

Settings are environment variables: see api/docs/configuration.md.
`
}

/** Reads the flags of a command line. Throws a ConfigError that names the unknown flag or bad value. */
export function readFlags(args: readonly string[], program: Program): Flags {
  const { values, positionals } = parsed(args)
  const { step, name } = readStep(positionals, program)
  return {
    step,
    host: host(values.host ?? '127.0.0.1'),
    port: port(values.port ?? '8080'),
    config: values.config,
    tenantDb: place('--tenant-db', values['tenant-db']),
    apiKeyDb: place('--api-key-db', values['api-key-db']),
    bootstrapAdminKeyName: keyName(name ?? values['bootstrap-admin-key-name']),
    actuators: values.actuators ?? [],
    platform: values.platform ?? false,
  }
}

function parsed(args: readonly string[]) {
  try {
    return readCommandLine(args, flagTable)
  } catch (error) {
    throw flagError('command line', error instanceof Error ? error.message : String(error))
  }
}

function readStep([word, ...values]: readonly string[], program: Program): { step?: Step; name?: string } {
  if (word === undefined) return {}
  if (!isStep(word)) throw flagError('command line', `${word} is no step; --help lists those that there are`)
  const { program: able, value } = steps[word]
  const usage = `${able} ${word}${value}`
  if (able !== program) throw flagError('command line', `the program ${able} does that: ${usage}`)
  if (values.length !== (value === '' ? 0 : 1)) throw flagError('command line', `say ${usage}`)
  const [name] = values
  return name === undefined ? { step: word } : { step: word, name }
}

function isStep(word: string): word is Step {
  return Object.hasOwn(steps, word)
}

function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (number <= 65_535) return number
  throw flagError('--port', `must be 0 to 65535, not ${text}`)
}

/** Rejects an empty address, which an unset variable gives, because the server would listen on every address. */
function host(text: string): string {
  if (text !== '') return text
  throw flagError('--host', 'must be an address or a name')
}

/** Rejects an empty path, because an empty path would be the directory in which the process was started. */
function place(flag: string, text: string | undefined): string | undefined {
  if (text === '' || (text?.includes('://') && !isPostgresUrl(text)))
    throw flagError(flag, 'must be a directory or a postgres:// URL')
  const refusal = text !== undefined && isPostgresUrl(text) ? postgresUrlRefusal(text) : null
  if (refusal !== null) throw flagError(flag, refusal)
  return text
}

function keyName(name: string | undefined): string | undefined {
  if (name === undefined) return name
  const isName = name.length > 0 && name.length <= limits.key_name_length_max && isVisible(name)
  if (isName) return name
  throw flagError('--bootstrap-admin-key-name', 'must have 1 to 200 characters, all of which can be seen')
}

function flagError(path: string, message: string): ConfigError {
  return new ConfigError([{ path, code: 'invalid_flag', message }])
}
