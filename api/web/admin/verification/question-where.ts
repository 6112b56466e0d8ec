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

/** What a parameter is asked for; "above" and "other than" are of a value that is there. */
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

/** JSON where it is some; any other text is taken as it is. */
function readValue(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}
