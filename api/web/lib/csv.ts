/**
 * The rows as comma-separated values with a line of names (RFC 4180). No text is a formula to the program that opens it.
 */
export async function csvOf<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
): Promise<string> {
  const { unparse } = await import('papaparse')
  return unparse([...rows], { columns: [...columns], escapeFormulae: true })
}
