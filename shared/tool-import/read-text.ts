import { parsePlainYaml } from '../canon/strict-yaml.ts'
import type { JsonValue } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import type { DocumentRefused } from './read-openapi.ts'

/** Whether a document is too large to be looked at; asked before anything reads it. */
export function refuseLarge(bytes: number): DocumentRefused | null {
  if (bytes <= limits.import_bytes_max) return null
  const most = limits.import_bytes_max / 1_048_576
  const message = `the document has ${Math.ceil(bytes / 1_048_576)} MiB, and ${most} MiB are read: leave out what is not needed`
  return { code: 'document_too_large', message }
}

/** The value of a document in JSON or YAML, however it is written. */
export function readText(given: string): { value: JsonValue } | DocumentRefused {
  const large = refuseLarge(Buffer.byteLength(given))
  if (large) return large
  const text = given.replace(/^\ufeff/, '')
  if (/^\s*[{[]/.test(text)) {
    try {
      return { value: JSON.parse(text) as JsonValue }
    } catch {
      // YAML, too, may begin with a brace; what it says of the text is what is told.
    }
  }
  const read = parsePlainYaml(text)
  if (read.ok) return { value: read.value }
  return {
    code: 'unreadable_document',
    message: `the document is neither JSON nor YAML: ${read.issue.message}`,
  }
}
