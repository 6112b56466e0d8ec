/** An id that nobody else draws. */
export function newProposalId(): string {
  return `run-${crypto.randomUUID()}`
}

/** A share from 0 to 1, for pauses that differ between clients. */
export function randomShare(): number {
  return Math.random()
}
