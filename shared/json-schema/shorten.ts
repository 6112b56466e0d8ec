const lengthMax = 100

/** At most 100 UTF-16 code units of a text; a surrogate pair is never cut, so the result can stand in canonical JSON. */
export function shorten(text: string): string {
  if (text.length <= lengthMax) return text
  const end = isHighSurrogate(text.charCodeAt(lengthMax - 2)) ? lengthMax - 2 : lengthMax - 1
  return `${text.slice(0, end)}…`
}

/** A name as messages show it. */
export function quote(name: string): string {
  return `"${shorten(name)}"`
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
