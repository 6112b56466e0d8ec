/** Class names that are there, in one text. */
export function classes(...names: (string | false | null | undefined)[]): string {
  return names.filter(name => name).join(' ')
}
