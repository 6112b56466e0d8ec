import { exportBytesMax } from '../../../shared/audit/verify/read-export.ts'
import { reportCheckNames, verifyReport as verifyBytes } from '../../../shared/audit/verify/verify-report.ts'
import { readAtMost } from './read-at-most.ts'
import { readKeys } from './read-keys.ts'
import { reportOn } from './report-on.ts'
import { type Mode, UnusableError } from './verify-mode.ts'

/** Verifies a report of what was proved of a policy, or its envelope, by nothing but the file and the keys. */
export const verifyReport: Mode = {
  takes: ({ report }) => report,
  async run({ file, keys, event, checkpoint, log }) {
    if (event !== undefined || checkpoint !== undefined || log !== undefined)
      throw new UnusableError('--event, --checkpoint and --log are about logs: a report is in none')
    const trusted = await readKeys(keys)
    return reportOn(verifyBytes(await readAtMost(file, exportBytesMax), trusted), reportCheckNames)
  },
}
