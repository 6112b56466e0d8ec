import { RE2JS } from 're2js'
import { limits } from '../contract/base/limits.ts'
import { linearSyntax, PatternRefusal } from './linear-syntax.ts'

/** A regular expression that takes time in proportion to `size` times the length of the text, whatever they are. */
export interface LinearPattern {
  /** Instructions of the compiled program. */
  readonly size: number
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean
}

export type ReadPattern = { ok: true; pattern: LinearPattern } | { ok: false; message: string }

/**
 * Reads a pattern as JSON Schema means it: ECMA-262 with the u flag. Refused is what an engine without backtracking
 * cannot do (back references, look-around), and a pattern that would grow beyond its bounds.
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

/** A pattern that `readPattern` accepts; throws where it does not. */
export function acceptedPattern(text: string): LinearPattern {
  const read = readPattern(text)
  if (!read.ok) throw new Error(`the pattern ${text} ${read.message}`)
  return read.pattern
}

/** What the engine may remember of past texts, for each pattern: more is forgotten after each test. */
const memoryBytesMax = 65_536

function compile(syntax: string): LinearPattern {
  const engine = engineOf(syntax)
  const program = engine.re2()
  return {
    size: program.numberOfInstructions(),
    test: text => {
      const found = engine.test(text)
      const automaton = program.lazyDFA
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
