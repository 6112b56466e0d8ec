/** A title is a sentence that is read at once. */
export const titleMax = 80

interface Titled {
  name: string
  module: { relativeModuleId: string }
}

/** What a table made of a title shows only when it runs: one line for each that is too long. */
export function tooLong(tests: readonly Titled[]): string[] {
  return tests
    .filter(({ name }) => name.length > titleMax)
    .map(
      ({ name, module }) =>
        `${module.relativeModuleId}: a title of ${name.length} characters: ${name.slice(0, 200)}`,
    )
}
