/** Characters that begin a formula in a spreadsheet, including full-width signs and the mathematical minus. */
const signs = '=+\\-@\\u2212\\ufe62\\ufe63\\ufe66\\ufe6b\\uff0b\\uff0d\\uff1d\\uff20'
/** Characters that a spreadsheet ignores in front of a formula: spaces, quotes and invisible characters. */
const skipped = '[\\s\\p{Z}\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800"\']*'
/**
 * Matches where a formula can begin: at the start, after a line break, and after a tab or semicolon, because some
 * programs split cells there.
 */
const formula = new RegExp(`(?<=^|[\\n\\r\\v\\f\\u0085\\u2028\\u2029\\t;])(?=${skipped}[${signs}])`, 'gu')

/** Puts an apostrophe before each possible formula, because a spreadsheet shows such a cell as text. */
function cellOf(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(formula, "'") : value
}

/**
 * Returns the rows as CSV with a header line (RFC 4180). Escapes formulas, so that no spreadsheet executes a text.
 */
export async function csvOf<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
): Promise<string> {
  const { unparse } = await import('papaparse')
  const data = rows.map(row => columns.map(name => cellOf(row[name])))
  return unparse({ fields: [...columns], data })
}
