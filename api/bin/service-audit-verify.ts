#!/usr/bin/env node
import { aboutCommand } from '../../shared/command-line.ts'
import { verifyFile, verifyProof, verifyReport } from './verify/file-modes.ts'
import { type Mode, readAsked, UnusableError } from './verify/verify-mode.ts'

/**
 * The ways to verify an export, a report or a database. The first one that accepts the arguments runs. Only a
 * database check needs a network.
 */
const modes: readonly Mode[] = [
  {
    takes: ({ database }) => database !== undefined,
    // Only this mode loads database code, so that checking a file never connects anywhere.
    run: async asked => (await import('./verify/verify-database.ts')).verifyDatabase(asked),
  },
  verifyReport,
  verifyProof,
  verifyFile,
]

const usage = `usage: service-audit-verify <export.json> --key <key> [--checkpoint <file>] [--log <origin>] [--format text|json]
       service-audit-verify <proof> --event <file> --key <key> --log <origin> [--format text|json]
       service-audit-verify <report> --report --key <key> [--format text|json]
       service-audit-verify --database <url> [--key <key>] [--checkpoint <file>] [--resume <file>] [--format text|json]

  <export.json>  what GET /v1/actions/{action_id}/audit-export answered; - reads standard input
  <proof>        a proof that one event is in a log (C2SP tlog-proof); --event is the exact text of the event
  <report>       a verification report as the service answered it, or its signature alone (DSSE)
  --key          a verifier key (name+id+key), a file of them, or the saved answer of GET /v1/audit/keys;
                 may be given several times
  --checkpoint   a signed checkpoint of the log that you kept: shows that the log was not cut or forked since
  --database     recomputes every stream and every log of a database, and compares what is in force with it:
                 reads only, while the service goes on; takes several --key and --checkpoint
  --resume       keeps how far the check of a database is, and goes on from there where the file exists
  --log          first line of the checkpoints of the log that you expect
  --format       text for people, json for programs

exit code: 0 verified, 1 invalid, 2 wrong usage or unreadable, 3 incomplete, legacy or not proven
`

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  try {
    const about = aboutCommand(args, usage)
    if (about !== null) {
      process.stdout.write(about)
      return 0
    }
    const asked = readAsked(args)
    const mode = modes.find(one => one.takes(asked)) ?? verifyFile
    const { exitCode, text, value } = await mode.run(asked)
    process.stdout.write(asked.format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : text)
    return exitCode
  } catch (error) {
    if (!(error instanceof UnusableError)) throw error
    process.stderr.write(`service-audit-verify: ${error.message}\n\n${usage}`)
    return 2
  }
}
