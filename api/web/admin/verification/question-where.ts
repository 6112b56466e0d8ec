import type { JsonValue } from '../../../../shared/contract/base/json.ts'
import type { Where } from '../../../../shared/contract/configuration/verification-schema.ts'

export type Compared = 'above' | 'below' | 'equals' | 'differs' | 'missing'

export const compared: readonly { value: Compared; label: string }[] = [
  { value: 'above', label: 'above' },
  { value: 'below', label: 'below' },
  { value: 'equals', label: 'equal to' },
  { value: 'differs', label: 'other than' },
  { value: 'missing', label: 'missing' },
]

/** Builds a parameter's condition. "above", "below" and "other than" also require the parameter to be present. */
export function questionWhere(compare: Compared, text: string): Where {
  const value = readValue(text)
  switch (compare) {
    case 'above':
      return { present: true, not: { max: Number(value) } }
    case 'below':
      return { present: true, not: { min: Number(value) } }
    case 'equals':
      return { equals: value }
    case 'differs':
      return { present: true, not: { equals: value } }
    case 'missing':
      return { missing: true }
  }
}

/** Parses the text as JSON. A text that is not JSON becomes a string. */
function readValue(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}
