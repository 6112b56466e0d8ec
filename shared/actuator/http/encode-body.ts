import { canonicalJson } from '../../canon/canonical-json.ts'
import { sha256 } from '../../canon/digest.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import type { HttpOperation } from '../../contract/configuration/http-actuator-schema.ts'
import { type ArrayStyle, CannotRender, type Pair, pairsOf, scalarText } from './render-template.ts'

export type Content = NonNullable<HttpOperation['content']>

/** An encoded body. If `fixed`, registered headers cannot change `type`, because the body would not match it. */
export interface EncodedBody {
  text: string
  type: string
  fixed: boolean
}

/** Encodes a body. Equal values give equal bytes, so that a repeated idempotency key comes with the same body. */
export function encodeBody(
  value: JsonValue,
  { content = 'json', arrays = 'repeat' }: { content?: Content | undefined; arrays?: ArrayStyle | undefined },
): EncodedBody {
  switch (content) {
    case 'json':
      return { text: canonicalJson(value), type: 'application/json', fixed: false }
    case 'text':
      return { text: scalarText('body', value), type: 'text/plain; charset=utf-8', fixed: false }
    case 'form': {
      const fields = new URLSearchParams(fieldsOf(value, arrays).map(([name, text]) => [name, text]))
      return { text: fields.toString(), type: 'application/x-www-form-urlencoded', fixed: true }
    }
    case 'multipart':
      return multipart(fieldsOf(value, arrays))
  }
}

/** Returns the fields of an object without its nulls, because a form cannot express null. */
function fieldsOf(value: JsonValue, arrays: ArrayStyle): readonly Pair[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CannotRender('a form takes an object')
  return Object.entries(value satisfies JsonObject).flatMap(([name, member]): readonly Pair[] => {
    if (member === null) return []
    return Array.isArray(member) ? pairsOf(name, member, arrays) : [[name, scalarText(name, member)]]
  })
}

/** Writes a multipart body (RFC 7578). The boundary is a hash of all parts, so that no part can contain it. */
function multipart(fields: readonly Pair[]): EncodedBody {
  const boundary = `part-${sha256(canonicalJson(fields.map(pair => [...pair]))).toString('base64url')}`
  const parts = fields.map(
    ([name, text]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${partName(name)}"\r\n\r\n${text}\r\n`,
  )
  const text = `${parts.join('')}--${boundary}--\r\n`
  return { text, type: `multipart/form-data; boundary=${boundary}`, fixed: true }
}

const escapes: Readonly<Record<string, string>> = { '"': '%22', '\r': '%0D', '\n': '%0A' }

function partName(name: string): string {
  return name.replace(/["\r\n]/g, character => escapes[character] ?? '')
}
