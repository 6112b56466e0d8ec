import { readTrustedKeys, type TrustedKey } from '../../../shared/audit/note/trusted-keys.ts'
import { readAtMost } from './read-at-most.ts'
import { UnusableError } from './verify-mode.ts'

export async function readKeys(given: readonly string[]): Promise<TrustedKey[]> {
  const keys: TrustedKey[] = []
  for (const one of given) {
    const isKey = /^[^+\s]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+$/.test(one)
    const read = readTrustedKeys(isKey ? one : (await readSmall(one)).toString('utf8'))
    if (!read.ok) throw new UnusableError(`--key ${one}: ${read.error}`)
    keys.push(...read.value)
  }
  return keys
}

/** Reads a file of at most 1 MiB: keys, a checkpoint or a proof. */
export async function readSmall(path: string): Promise<Buffer> {
  const bytes = await readAtMost(path, smallBytesMax)
  if (bytes.length > smallBytesMax)
    throw new UnusableError(
      `${path} is larger than ${smallBytesMax} bytes: it is none of what is wanted here`,
    )
  return bytes
}

const smallBytesMax = 1024 * 1024
