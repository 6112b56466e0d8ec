import { plainText } from './plain-text.ts'

/** What something that was thrown says, whatever it is; at most 500 characters. */
export function reasonOf(thrown: unknown): string {
  return plainText(textOf(thrown).slice(0, 500))
}

function textOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  if (thrown instanceof Error) return String(thrown.message)
  return `something that is not an error was thrown (${typeof thrown})`
}
