import { plainText } from './plain-text.ts'

/** What something that was thrown says, whatever it is; at most 500 characters. It never throws. */
export function reasonOf(thrown: unknown): string {
  try {
    return plainText(textOf(thrown).slice(0, 500))
  } catch {
    return 'something that cannot be read was thrown'
  }
}

function textOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  if (thrown instanceof Error) return String(thrown.message)
  return `something that is not an error was thrown (${typeof thrown})`
}
