import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import type { JsonValue } from '../contract/base/json.ts'
import { parseStrictJson } from './strict-json.ts'
import { decodeUtf8 } from './utf8.ts'

/**
 * A refusal of a YAML text. `path` names the refused member; if the path is not known, the message names the line.
 */
export interface StrictYamlIssue {
  code: string
  path: string
  message: string
}
export type StrictYamlResult = { ok: true; value: JsonValue } | { ok: false; issue: StrictYamlIssue }

/**
 * Reads one YAML 1.2 document as strictly as `parseStrictJson` reads JSON. It also refuses names that are not
 * strings, tags of other schemas, and aliases whose expansion is too large.
 */
export function parseStrictYaml(bytes: Uint8Array): StrictYamlResult {
  const text = decodeUtf8(bytes)
  if (text === null) return refused('invalid_utf8', 'the text is not valid UTF-8')
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, { lineCounter: lines, resolveKnownTags: false })
    const [problem] = [...document.errors, ...document.warnings]
    if (problem) return refused('invalid_yaml', firstLine(problem.message))
    return lossIn(document, lines) ?? asStrictJson(document)
  } catch (error) {
    // The parser throws for cyclic or multiplying aliases, and for nesting that overflows its stack.
    return refused('invalid_yaml', error instanceof Error ? firstLine(error.message) : String(error))
  }
}

/**
 * A limit on alias expansion. No document by a person reaches the limit, but a hostile text would exhaust the
 * memory.
 */
const aliasesMax = 1_000

/**
 * Reads one YAML 1.2 document leniently: a name that is a number or a boolean becomes a string, and a number
 * beyond a double's precision is rounded. Use it for foreign documents only, because a person reviews the result
 * before its use.
 */
export function parsePlainYaml(text: string): StrictYamlResult {
  try {
    const document = parseDocument(text, {
      merge: true,
      resolveKnownTags: false,
      uniqueKeys: false,
      logLevel: 'silent',
    })
    const [problem] = document.errors
    if (problem) return refused('invalid_yaml', firstLine(problem.message))
    visit(document, {
      Scalar(place, node) {
        if (place === 'key' && typeof node.value !== 'string') node.value = node.source ?? String(node.value)
      },
    })
    const value: JsonValue | undefined = document.toJS({ maxAliasCount: aliasesMax })
    return { ok: true, value: value ?? null }
  } catch (error) {
    return refused('invalid_yaml', error instanceof Error ? firstLine(error.message) : String(error))
  }
}

/** Refuses losses that the JavaScript value would hide: a name that is not a string, and a rounded number. */
function lossIn(document: Document, lines: LineCounter): StrictYamlResult | null {
  let found: StrictYamlResult | null = null
  const refuse = (code: string, message: string, offset: number | undefined) => {
    found = refused(code, `${message} (line ${lines.linePos(offset ?? 0).line})`)
    return visit.BREAK
  }
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) && typeof key.value === 'string') return
      const offset = isScalar(key) ? key.range?.[0] : undefined
      return refuse('name_not_text', 'a name is not a text: put it in quotes', offset)
    },
    Scalar: (_, { value, range }) => {
      if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return
      return refuse('number_out_of_range', 'the number does not survive as a double', range?.[0])
    },
  })
  return found
}

function asStrictJson(document: Document): StrictYamlResult {
  const read = parseStrictJson(Buffer.from(JSON.stringify(document.toJS())))
  if (read.ok) return read
  const { code, path, message } = read.issue
  return { ok: false, issue: { code, path, message } }
}

function refused(code: string, message: string): StrictYamlResult {
  return { ok: false, issue: { code, path: '', message } }
}

function firstLine(message: string): string {
  return message.split('\n')[0]?.replace(/:$/, '') ?? ''
}
