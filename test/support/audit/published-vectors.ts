import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of published test vectors beside the repository; it is not part of it, and may be absent. */
const folder = fileURLToPath(new URL('../../../../shared/vectors/', import.meta.url))

/** For `describe.runIf`: without the folder such a group shows as skipped, under a title that says what it needs. */
export const haveVectors = existsSync(folder)

export function readVector(path: string): string {
  return readFileSync(folder + path, 'utf8')
}
