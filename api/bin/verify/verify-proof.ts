import { eventCheckNames, verifyEvent } from '../../../shared/audit/verify/verify-event.ts'
import { readKeys, readSmall } from './read-keys.ts'
import { reportOn } from './report-on.ts'
import { type Mode, UnusableError } from './verify-mode.ts'

/** Verifies that one event is in a log, by its bytes and a proof file (C2SP tlog-proof). */
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
