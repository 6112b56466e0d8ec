import { plainText } from './plain-text.ts'

/**
 * What something that was thrown says, whatever it is; at most 500 characters. It never throws. What `hide` takes away is
 * hidden before the text is cut: the beginning of a secret would not be recognised any more.
 */
export function reasonOf(thrown: unknown, hide = (text: string): string => text): string {
  try {
    return plainText(hide(textOf(thrown)).slice(0, 500))
  } catch {
    return 'something that cannot be read was thrown'
  }
}

function textOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  if (thrown instanceof Error) return String(thrown.message)
  return `something that is not an error was thrown (${typeof thrown})`
}
