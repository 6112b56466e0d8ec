/** The lines of a program that end in `// wrong`: the compiler must refuse each, and nothing else. */
export function wrongLines(program: string): number[] {
  return program.split('\n').flatMap((line, at) => (line.endsWith('// wrong') ? [at + 1] : []))
}

/** The lines of which the compiler says an error; what it says of other files is thrown. */
export function linesOf(said: string): number[] {
  const errors = said.split('\n').filter(line => /: error TS\d+:/.test(line))
  const found = errors.map(line => /(?:consumer|stranger)\.m?ts\((\d+),/.exec(line)?.[1])
  if (found.includes(undefined)) throw new Error(said)
  return [...new Set(found.map(Number))].sort((one, other) => one - other)
}
