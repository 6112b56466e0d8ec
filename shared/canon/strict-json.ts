import type { JsonValue } from '../contract/base/json.ts'
import { type StrictJsonCode, StrictJsonRefusal, StrictReader, strictJsonCodes } from './strict-reader.ts'
import { decodeUtf8 } from './utf8.ts'

/**
 * A refusal of a JSON text. `path` names the refused member (`action.items[3].price`) and is empty for the whole
 * text; `offset` counts bytes.
 */
export interface StrictJsonIssue {
  code: StrictJsonCode
  path: string
  offset: number
  message: string
}
export type StrictJsonResult = { ok: true; value: JsonValue } | { ok: false; issue: StrictJsonIssue }

/**
 * Reads JSON from the raw bytes without any loss (specification.md#proposals, specification.md#audit-bytes). It
 * refuses texts that `JSON.parse` would read with a loss, a byte-order mark, the name `__proto__`, U+0000 and more
 * than 64 levels. A fraction becomes its nearest double, and -0 becomes 0 as in RFC 8785. Objects are ordinary
 * objects. A refusal is returned rather than thrown, and deep nesting cannot overflow the stack.
 */
export function parseStrictJson(bytes: Uint8Array): StrictJsonResult {
  const text = decodeUtf8(bytes)
  if (text === null) return refused('invalid_utf8', firstLoss(bytes))
  if (text.startsWith('\ufeff')) return refused('byte_order_mark', 0)
  try {
    return { ok: true, value: new StrictReader(text).read() }
  } catch (error) {
    if (!(error instanceof StrictJsonRefusal)) throw error
    const { code, path, message } = error
    return { ok: false, issue: { code, path, offset: Buffer.byteLength(text.slice(0, error.at)), message } }
  }
}

function refused(code: StrictJsonCode, offset: number): StrictJsonResult {
  return { ok: false, issue: { code, path: '', offset, message: strictJsonCodes[code] } }
}

/** Returns the offset of the first byte that is not valid UTF-8. */
function firstLoss(bytes: Uint8Array): number {
  const encoded = Buffer.from(Buffer.from(bytes).toString('utf8'))
  const offset = bytes.findIndex((byte, index) => byte !== encoded[index])
  return offset === -1 ? bytes.length : offset
}
