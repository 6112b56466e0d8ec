import { exportBytesMax } from '../../../shared/audit/verify/read-export.ts'
import { eventCheckNames, verifyEvent } from '../../../shared/audit/verify/verify-event.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import { reportCheckNames, verifyReport as verifyBytes } from '../../../shared/audit/verify/verify-report.ts'
import { readAtMost } from './read-at-most.ts'
import { readKeys, readSmall } from './read-keys.ts'
import { reportOn } from './report-on.ts'
import { type Mode, UnusableError } from './verify-mode.ts'

export const verifyFile: Mode = {
  takes: () => true,
  async run({ file, keys, checkpoint, log }) {
    const trusted = await readKeys(keys)
    const olderCheckpoint = checkpoint === undefined ? undefined : await readSmall(checkpoint)
    const bytes = await readAtMost(file, exportBytesMax)
    return reportOn(verifyExport(bytes, { trusted, olderCheckpoint, log }))
  },
}

/** Verifies that one event is in a log, from its bytes and a proof file (C2SP tlog-proof). */
export const verifyProof: Mode = {
  takes: ({ event }) => event !== undefined,
  async run({ file, keys, event = '', log, checkpoint }) {
    if (log === undefined) throw new UnusableError('--event needs --log: a proof is one of some log')
    if (checkpoint !== undefined)
      throw new UnusableError('--checkpoint is for exports: a proof of one event does not tell of the past')
    const trusted = await readKeys(keys)
    const verification = verifyEvent(await readSmall(event), await readSmall(file), { trusted, log })
    return reportOn(verification, eventCheckNames)
  },
}

export const verifyReport: Mode = {
  takes: ({ report }) => report,
  async run({ file, keys, event, checkpoint, log }) {
    if (event !== undefined || checkpoint !== undefined || log !== undefined)
      throw new UnusableError('--event, --checkpoint and --log are about logs: a report is in none')
    const trusted = await readKeys(keys)
    return reportOn(verifyBytes(await readAtMost(file, exportBytesMax), trusted), reportCheckNames)
  },
}
