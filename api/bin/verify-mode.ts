import { parseArgs } from 'node:util'

/** One thing that can be verified, and how. */
export interface Mode {
  takes(asked: Asked): boolean
  run(asked: Asked): Promise<Report>
}

/** What the command line of the verifier asks for. */
export interface Asked {
  /** The file of an export, or of the proof of an event; `-` is standard input. */
  file: string
  /** Verifier keys, or files that hold them. */
  keys: readonly string[]
  /** File of the event whose proof is given: its exact bytes. */
  event: string | undefined
  /** File of a checkpoint that was kept from earlier. */
  checkpoint: string | undefined
  /** Origin of the log in which the events must be. */
  log: string | undefined
  format: 'text' | 'json'
}

/** What a verification came to: the text for a person, the value for a program. */
export interface Report {
  exitCode: 0 | 1 | 3
  text: string
  value: object
}

/** The command line is wrong, or something that it names cannot be read: exit code 2. */
export class UnusableError extends Error {}

/** Reads the command line; null where help is asked for. */
export function readAsked(args: readonly string[]): Asked | null {
  const { values, positionals } = parsed(args)
  const [file, ...more] = positionals
  const { key: keys = [], event, checkpoint, log, format = 'text', help } = values
  if (help === true) return null
  if (file === undefined) throw new UnusableError('name the file of an export, or - for standard input')
  if (more.length > 0) throw new UnusableError(`one file at a time, and not ${more.join(', ')} too`)
  if (keys.length === 0) throw new UnusableError('--key is missing: the file itself cannot say whom to trust')
  if (format !== 'text' && format !== 'json')
    throw new UnusableError(`--format is text or json, not ${format}`)
  return { file, keys, event, checkpoint, log, format }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        key: { type: 'string', multiple: true },
        event: { type: 'string' },
        checkpoint: { type: 'string' },
        log: { type: 'string' },
        format: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UnusableError(error instanceof Error ? error.message : String(error))
  }
}
