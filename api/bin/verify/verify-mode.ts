import { readCommandLine } from '../../../shared/command-line.ts'

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
  /** File of a checkpoint that was kept from earlier: the first that is given. */
  checkpoint: string | undefined
  /** All of them: logs of a database can each have one. */
  checkpoints: readonly string[]
  /** URL of a database that is checked as a whole. */
  database: string | undefined
  /** File in which the check of a database keeps how far it is. */
  resume: string | undefined
  /** Whether the file is a verification report, or the envelope of one. */
  report: boolean
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

/** Reads the command line. */
export function readAsked(args: readonly string[]): Asked {
  const { values, positionals } = parsed(args)
  const { key: keys = [], checkpoint: checkpoints = [], format = 'text' } = values
  const { event, log, database, resume, report = false } = values
  const asked = { keys, event, checkpoint: checkpoints[0], checkpoints, log, database, resume, report }
  const problem =
    database === undefined ? fileProblem(asked, positionals) : databaseProblem(asked, positionals)
  if (problem !== null) throw new UnusableError(problem)
  if (format !== 'text' && format !== 'json')
    throw new UnusableError(`--format is text or json, not ${format}`)
  return { ...asked, file: positionals[0] ?? '', format }
}

type Given = Omit<Asked, 'file' | 'format'>

function fileProblem(
  { keys, checkpoints, resume }: Given,
  [file, ...more]: readonly string[],
): string | null {
  if (file === undefined) return 'name the file of an export, or - for standard input'
  if (more.length > 0) return `one file at a time, and not ${more.join(', ')} too`
  if (keys.length === 0) return '--key is missing: the file itself cannot say whom to trust'
  if (checkpoints.length > 1) return 'one --checkpoint: the events of a file are in one log'
  return resume === undefined ? null : '--resume goes with --database'
}

function databaseProblem({ event, log, report }: Given, [file]: readonly string[]): string | null {
  if (file !== undefined) return `--database or a file, and not ${file} too`
  const ofFiles = event !== undefined || log !== undefined || report
  return ofFiles ? '--event, --log and --report go with a file' : null
}

function parsed(args: readonly string[]) {
  try {
    return readCommandLine(args, {
      key: { type: 'string', multiple: true },
      event: { type: 'string' },
      checkpoint: { type: 'string', multiple: true },
      database: { type: 'string' },
      resume: { type: 'string' },
      log: { type: 'string' },
      report: { type: 'boolean' },
      format: { type: 'string' },
    })
  } catch (error) {
    throw new UnusableError(error instanceof Error ? error.message : String(error))
  }
}
