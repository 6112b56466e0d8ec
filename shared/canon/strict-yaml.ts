import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import type { JsonValue } from '../contract/base/json.ts'
import { parseStrictJson } from './strict-json.ts'
import { decodeUtf8 } from './utf8.ts'

/** A refusal, whose `path` names the member if it is known; otherwise the message names the line. */
export interface StrictYamlIssue {
  code: string
  path: string
  message: string
}
export type StrictYamlResult = { ok: true; value: JsonValue } | { ok: false; issue: StrictYamlIssue }

/**
 * Reads one YAML 1.2 document as strictly as `parseStrictJson` reads JSON. It also refuses names that are not
 * texts, tags of other schemas and aliases that multiply.
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
    // The parser throws at aliases that recur or multiply, and at nesting beyond its stack.
    return refused('invalid_yaml', error instanceof Error ? firstLine(error.message) : String(error))
  }
}

/** A limit that no document written by a person reaches; a hostile text would multiply its aliases. */
const aliasesMax = 1_000

/**
 * Reads one YAML 1.2 document leniently: a name that is a number or a truth value becomes its text, and a number
 * that does not survive is rounded. It serves foreign documents, whose result a person reviews because nobody
 * signs it.
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

/** Refuses the losses that a JavaScript value would hide: a name that is not a text, and a rounded number. */
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
