import { isPlainObject } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import { readText } from '../../tool-import/import-source.ts'
import { narrowDocument } from '../../tool-import/narrow-document.ts'
import type { DocumentRefused } from '../../tool-import/read-openapi.ts'

/**
 * Shortens a document to fit a request (at most `import_text_max` characters): a larger one keeps only the chosen
 * operations and what they refer to (actuators.md#import).
 */
export function narrowSource(text: string, only: readonly string[]): string | DocumentRefused {
  if (text.length <= limits.import_text_max) return text
  const read = readText(text)
  if (!('value' in read)) return read
  const { value } = read
  return isPlainObject(value) && isPlainObject(value.paths)
    ? JSON.stringify(narrowDocument(value, only))
    : text
}
