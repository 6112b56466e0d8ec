import { limits } from '../contract/base/limits.ts'
import { type ReadPattern, readPattern } from './linear-pattern.ts'

/** Reads the patterns of one document: each text once, and no more than the limits admit in all. */
export type PatternReader = (pattern: string) => ReadPattern

export function createPatternReader(): PatternReader {
  const known = new Map<string, ReadPattern>()
  let size = 0
  return text => {
    const before = known.get(text)
    if (before) return before
    if (size > limits.catalog_patterns_size_max) return tooMuch
    const read = readPattern(text)
    size += read.ok ? read.pattern.size : limits.pattern_size_max
    known.set(text, read)
    return read
  }
}

const tooMuch: ReadPattern = { ok: false, message: 'is one pattern too many: together they are too large' }
