import type { JsonValue } from '../contract/base/json.ts'
import { type StrictJsonCode, StrictJsonRefusal, StrictReader, strictJsonCodes } from './strict-reader.ts'
import { decodeUtf8 } from './utf8.ts'

/**
 * A refusal, whose `path` names the member (`action.items[3].price`, empty: the whole text); `offset` counts
 * bytes.
 */
export interface StrictJsonIssue {
  code: StrictJsonCode
  path: string
  offset: number
  message: string
}
export type StrictJsonResult = { ok: true; value: JsonValue } | { ok: false; issue: StrictJsonIssue }

/**
 * Reads JSON from the raw bytes so that the value says all that was sent and nothing else
 * (specification.md#proposals, specification.md#audit-bytes). It refuses a text that `JSON.parse` would read with
 * a loss, as well as a byte-order mark, a name `__proto__`, U+0000 and more than 64 levels. A fraction becomes its
 * nearest double, and -0 becomes 0, as RFC 8785 prints it. Objects are ordinary objects. A refusal is returned
 * rather than thrown, and no depth overflows the stack.
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

/** Returns the offset of the first byte that is not UTF-8, which decoding replaces by U+FFFD. */
function firstLoss(bytes: Uint8Array): number {
  const encoded = Buffer.from(Buffer.from(bytes).toString('utf8'))
  const offset = bytes.findIndex((byte, index) => byte !== encoded[index])
  return offset === -1 ? bytes.length : offset
}
