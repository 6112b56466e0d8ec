import { readCommandLine } from '../../../shared/command-line.ts'

export interface Mode {
  takes(asked: Asked): boolean
  run(asked: Asked): Promise<Report>
}

export interface Asked {
  file: string
  keys: readonly string[]
  /** The file with the exact bytes of the event that the proof is for. */
  event: string | undefined
  /** The file of an older checkpoint; the first one if several are given. */
  checkpoint: string | undefined
  checkpoints: readonly string[]
  database: string | undefined
  resume: string | undefined
  report: boolean
  log: string | undefined
  format: 'text' | 'json'
}

export interface Report {
  exitCode: 0 | 1 | 3
  text: string
  value: object
}

/** An error in the command line or in a file that it names. The exit code is 2. */
export class UnusableError extends Error {}

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
