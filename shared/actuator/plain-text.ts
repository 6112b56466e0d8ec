/** A text as it can be recorded: Unicode, without U+0000, which Postgres cannot hold. */
export function plainText(text: string): string {
  return Buffer.from(text).toString().replaceAll('\0', '')
}
