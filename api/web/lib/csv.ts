/** What a spreadsheet takes for the beginning of a formula: also full-width signs, and the minus sign of mathematics. */
const signs = '=+\\-@\\u2212\\ufe62\\ufe63\\ufe66\\ufe6b\\uff0b\\uff0d\\uff1d\\uff20'
/** What it reads over before one: spaces, quotes and characters that cannot be seen. */
const skipped = '[\\s\\p{Z}\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800"\']*'
/** A cell begins with the text, after a line break within it, and after what separates cells where a comma does not. */
const formula = new RegExp(`(?<=^|[\\n\\r\\v\\f\\u0085\\u2028\\u2029\\t;])(?=${skipped}[${signs}])`, 'gu')

/** A text with an apostrophe before whatever could be read as a formula: programs show what follows it as a text. */
function cellOf(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(formula, "'") : value
}

/**
 * The rows as comma-separated values with a line of names (RFC 4180). No text is a formula to the program that opens it.
 */
export async function csvOf<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
): Promise<string> {
  const { unparse } = await import('papaparse')
  const data = rows.map(row => columns.map(name => cellOf(row[name])))
  return unparse({ fields: [...columns], data })
}
