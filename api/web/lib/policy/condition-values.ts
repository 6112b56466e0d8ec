import type { JsonValue } from '../../../../shared/contract/base/json.ts'
import type { Constraint } from '../../../../shared/contract/configuration/policy.ts'

/**
 * Returns the allowed values as a person types them: `EUR, USD`. Quotes a text that would parse as another value.
 */
export function valuesText({ equals, one_of }: Constraint): string {
  const values = one_of ?? (equals === undefined ? [] : [equals])
  return values.map(valueText).join(', ')
}

/**
 * Parses a list of values. One value becomes `equals`, several become `one_of`. Returns null if a quote or bracket
 * is not closed.
 */
export function readValues(text: string): Pick<Constraint, 'equals' | 'one_of'> | null {
  if (text.trim() === '') return {}
  const parts = splitValues(text)
  if (!parts) return null
  const values = parts.map(readValue)
  if (values.includes(undefined)) return null
  return parts.length === 1 ? { equals: values[0] as JsonValue } : { one_of: values as JsonValue[] }
}

function valueText(value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return /[,"[\]{}]|^\s|\s$|^$/.test(value) || isJson(value) ? JSON.stringify(value) : value
}

function splitValues(text: string): string[] | null {
  const parts: string[] = ['']
  let depth = 0
  for (const [piece] of text.matchAll(/"(?:[^"\\]|\\.)*"|[\s\S]/g)) {
    if (piece === '"') return null
    if (piece === '[' || piece === '{') depth += 1
    if (piece === ']' || piece === '}') depth -= 1
    if (piece === ',' && depth === 0) parts.push('')
    else parts.push(`${parts.pop()}${piece}`)
  }
  return depth === 0 ? parts.map(part => part.trim()).filter(part => part !== '') : null
}

function readValue(text: string): JsonValue | undefined {
  if (isJson(text)) return JSON.parse(text) as JsonValue
  return /^["[{]/.test(text) ? undefined : text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
