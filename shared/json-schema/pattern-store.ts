import { acceptedPattern, type LinearPattern } from './linear-pattern.ts'

/** Compiled patterns by their text. */
export type PatternStore = (text: string) => LinearPattern

/** What a pattern takes besides its instructions, counted in instructions. */
const overhead = 50

/**
 * Compiles a pattern at its first use and keeps it, up to `sizeMax` instructions in all, each of about 600 bytes. Beyond
 * that the oldest are forgotten, and compiled again when they are needed.
 */
export function createPatternStore(sizeMax: number): PatternStore {
  const kept = new Map<string, LinearPattern>()
  let size = 0
  return text => {
    const known = kept.get(text)
    if (known) return known
    const fresh = acceptedPattern(text)
    kept.set(text, fresh)
    size += fresh.size + overhead
    for (const [oldest, pattern] of kept) {
      if (size <= sizeMax || pattern === fresh) break
      kept.delete(oldest)
      size -= pattern.size + overhead
    }
    return fresh
  }
}
