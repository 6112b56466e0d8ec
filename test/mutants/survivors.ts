import type { Mutant } from './mutate.ts'

/** A mutant that no test has to notice, and why. */
export interface Survivor {
  file: string
  /** The whole line, and what stands for what in it. */
  text: string
  from: string
  to: string
  reason: string
}

export const survivors: readonly Survivor[] = []

/** Why a mutant may survive; null where nobody said so. */
export function reasonOf({ file, text, from, to }: Mutant): string | null {
  const listed = survivors.find(
    survivor =>
      survivor.file === file && survivor.text === text && survivor.from === from && survivor.to === to,
  )
  return listed?.reason ?? null
}
