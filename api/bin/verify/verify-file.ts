import { exportBytesMax } from '../../../shared/audit/verify/read-export.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import { readAtMost } from './read-at-most.ts'
import { readKeys, readSmall } from './read-keys.ts'
import { reportOn } from './report-on.ts'
import type { Mode } from './verify-mode.ts'

/** Verifies the export in a file by nothing but that file, the keys, and a checkpoint where one was kept. */
export const verifyFile: Mode = {
  takes: () => true,
  async run({ file, keys, checkpoint, log }) {
    const trusted = await readKeys(keys)
    const olderCheckpoint = checkpoint === undefined ? undefined : await readSmall(checkpoint)
    const bytes = await readAtMost(file, exportBytesMax)
    return reportOn(verifyExport(bytes, { trusted, olderCheckpoint, log }))
  },
}
