/** An error, what caused it, what caused that, and so on; each once. */
export function causesOf(error: unknown): Set<Error> {
  const causes = new Set<Error>()
  for (let cause = error; cause instanceof Error && !causes.has(cause); cause = cause.cause) causes.add(cause)
  return causes
}
