/** One of the 64 items of the security checklist (api/docs/security.md#security-checklist), and what shows that it is met. */
export interface Item {
  item: number
  /** What is asked, in short. */
  rule: string
  /** Tests by file and title; where the service does otherwise, or the item does not apply, `why` says so. */
  tests: readonly Proof[]
  why?: string
}

/** A file below `test`, and the title of a test in it. */
export type Proof = readonly [file: string, title: string]
