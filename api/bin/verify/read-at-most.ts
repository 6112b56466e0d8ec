import { createReadStream } from 'node:fs'
import { UnusableError } from './verify-mode.ts'

/**
 * Returns the bytes of a file, or of standard input for `-`. A longer file gives `most` + 1 bytes, so that the
 * caller notices.
 */
export async function readAtMost(path: string, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of path === '-' ? process.stdin : createReadStream(path, { end: most })) {
      chunks.push(chunk)
      length += chunk.length
      if (length > most) break
    }
  } catch (error) {
    throw new UnusableError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
  return Buffer.concat(chunks).subarray(0, most + 1)
}
