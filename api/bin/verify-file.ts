import { exportBytesMax } from '../../shared/audit/read-export.ts'
import { readTrustedKeys, type TrustedKey } from '../../shared/audit/trusted-keys.ts'
import { verifyExport } from '../../shared/audit/verify-export.ts'
import { readAtMost } from './read-at-most.ts'
import { reportOn } from './report-on.ts'
import { type Mode, UnusableError } from './verify-mode.ts'

/** Verifies the export in a file by nothing but that file, the keys, and a checkpoint where one was kept. */
export const verifyFile: Mode = {
  takes: () => true,
  async run({ file, keys, checkpoint, log }) {
    const trusted: TrustedKey[] = []
    for (const key of keys) trusted.push(...(await readKeys(key)))
    const olderCheckpoint = checkpoint === undefined ? undefined : await readSmall(checkpoint)
    const bytes = await readAtMost(file, exportBytesMax)
    return reportOn(verifyExport(bytes, { trusted, olderCheckpoint, log }))
  },
}

/** A key on the command line, or the keys of a file. */
async function readKeys(key: string): Promise<TrustedKey[]> {
  const isKey = /^[^+\s]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+$/.test(key)
  const read = readTrustedKeys(isKey ? key : (await readSmall(key)).toString('utf8'))
  if (!read.ok) throw new UnusableError(`--key ${key}: ${read.error}`)
  return read.value
}

async function readSmall(path: string): Promise<Buffer> {
  const bytes = await readAtMost(path, smallBytesMax)
  if (bytes.length > smallBytesMax)
    throw new UnusableError(
      `${path} is larger than ${smallBytesMax} bytes: it is none of what is wanted here`,
    )
  return bytes
}

const smallBytesMax = 1024 * 1024
