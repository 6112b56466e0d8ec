/**
 * Characters that a spreadsheet accepts as the start of a formula, including full-width signs and the mathematical
 * minus.
 */
const signs = '=+\\-@\\u2212\\ufe62\\ufe63\\ufe66\\ufe6b\\uff0b\\uff0d\\uff1d\\uff20'
/** Characters that a spreadsheet skips before a formula: spaces, quotes and invisible characters. */
const skipped = '[\\s\\p{Z}\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800"\']*'
/**
 * Matches a formula at the start of a text, after a line break, and after a tab or semicolon, which some programs
 * read as cell separators.
 */
const formula = new RegExp(`(?<=^|[\\n\\r\\v\\f\\u0085\\u2028\\u2029\\t;])(?=${skipped}[${signs}])`, 'gu')

/**
 * Puts an apostrophe before each possible formula, because spreadsheet programs show what follows an apostrophe as
 * text.
 */
function cellOf(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(formula, "'") : value
}

/**
 * Writes the rows as comma-separated values with a header line (RFC 4180), escaped so that no program runs a text
 * as a formula.
 */
export async function csvOf<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
): Promise<string> {
  const { unparse } = await import('papaparse')
  const data = rows.map(row => columns.map(name => cellOf(row[name])))
  return unparse({ fields: [...columns], data })
}
