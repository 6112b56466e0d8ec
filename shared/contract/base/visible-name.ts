import type { z } from 'zod'

/**
 * What no reader sees, or what changes how the rest is read: characters that Unicode shows as nothing, controls, formats,
 * separators of lines, private ones, blank ones, and every space but the one on the keyboard.
 */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u2800]|(?! )\p{Zs}/u

export const unseenIssue = {
  message: 'holds a character that nobody sees, or that changes how the rest is read',
  params: { code: 'invisible_character' },
}

/** Whether people who read a text read all of it. */
export function isVisible(text: string): boolean {
  return !unseen.test(text)
}

/** A text by which people know somebody or something: all of it can be seen. */
export function visibleText<Schema extends z.ZodString>(schema: Schema): Schema {
  return schema.refine(isVisible, unseenIssue)
}
