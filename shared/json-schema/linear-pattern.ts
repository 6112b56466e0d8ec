import { RE2JS } from 're2js'
import { limits } from '../contract/base/limits.ts'
import { linearSyntax, PatternRefusal } from './linear-syntax.ts'

export interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  readonly runes: ArrayLike<number> & Iterable<number>
  matchRune(letter: number): boolean
}

export interface PatternProgram {
  readonly start: number
  readonly inst: readonly Instruction[]
}

/** A regular expression that runs in time proportional to `size` times the length of the text. */
export interface LinearPattern {
  readonly size: number
  readonly program: PatternProgram
  test(text: string): boolean
}

type ReadPattern = { ok: true; pattern: LinearPattern } | { ok: false; message: string }

/**
 * Compiles an ECMA-262 pattern with the u flag. Back references and look-around are refused, because they
 * need backtracking. A pattern over the size limits is refused too.
 */
export function readPattern(text: string): ReadPattern {
  if (text.length > limits.pattern_length_max) {
    return refused(`is longer than ${limits.pattern_length_max} characters`)
  }
  try {
    const pattern = compile(linearSyntax(text))
    if (pattern.size <= limits.pattern_size_max) return { ok: true, pattern }
    return refused('repeats too much: bound the length with maxLength instead')
  } catch (error) {
    if (error instanceof PatternRefusal) return refused(error.message)
    throw error
  }
}

function acceptedPattern(text: string): LinearPattern {
  const read = readPattern(text)
  if (!read.ok) throw new Error(`the pattern ${text} ${read.message}`)
  return read.pattern
}

/** The most bytes that the engine may keep cached for a pattern. A test that leaves more clears the cache. */
const memoryBytesMax = 65_536

function compile(syntax: string): LinearPattern {
  const engine = engineOf(syntax)
  const matcher = engine.re2()
  return {
    size: matcher.numberOfInstructions(),
    program: matcher.prog,
    test: text => {
      const found = engine.test(text)
      const automaton = matcher.lazyDFA
      if (automaton !== null && automaton.stateBudget - automaton.memBudget > memoryBytesMax)
        automaton.clearCache()
      return found
    },
  }
}

function engineOf(syntax: string): RE2JS {
  try {
    return RE2JS.compile(syntax)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new PatternRefusal(`is not accepted by the linear-time engine: ${reason}`)
  }
}

function refused(message: string): ReadPattern {
  return { ok: false, message }
}

/**
 * A function that reads each pattern of a document once. It refuses further patterns once the patterns are
 * too large together.
 */
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

export type PatternStore = (text: string) => LinearPattern

const overhead = 50

/**
 * Creates a store that compiles a pattern at its first use. It keeps up to `sizeMax` instructions of about
 * 600 bytes each. Beyond that it evicts the oldest pattern, which is compiled again if needed.
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
