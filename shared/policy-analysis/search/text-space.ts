import { readPattern } from '../../json-schema/linear-pattern.ts'
import {
  isReadable,
  PatternAutomaton,
  shortestMatch,
  startState,
} from '../../json-schema/pattern-automaton.ts'
import type { StepBudget } from '../step-budget.ts'

/** Letters that no pattern tells apart, readable letters first, at most 64. */
export type Letters = readonly string[]

/** The product of the patterns' automata. It tells texts apart exactly as far as the patterns do. */
export interface TextSpace {
  readonly letters: readonly Letters[]
  /** The next state for each kind of letter; negative if the next state was not explored. */
  readonly next: readonly (readonly number[])[]
  /** For each state, one digit per pattern: 1 if the pattern matches a text that ends in the state. */
  readonly marks: readonly string[]
  /** False if a bound has left out states. The states found are right, but there may be more. */
  readonly complete: boolean
  readonly visits: number
}

const statesMax = 1_000
const visitsMax = 150_000
const letterTestsMax = 300_000
/** The most letters to try of one kind. A kind with fewer letters is listed completely. */
export const lettersTried = 64

/** A range of code points. The strict reader accepts all code points except NUL and lone surrogates. */
type Range = readonly [first: number, last: number]
const alphabet: readonly Range[] = [
  [0x1, 0xd7ff],
  [0xe000, 0x10ffff],
]
/** A cut at the end of ASCII, so that a kind rarely mixes ASCII with other letters. */
const asciiCuts = [0x80]
const readable = [...'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.:/@ +#,;=?!&%$()[]{}']

export function textSpaceOf(patterns: readonly string[]): TextSpace {
  const automata = patterns.flatMap(text => {
    const read = readPattern(text)
    return read.ok && isReadable(read.pattern.program) ? [new PatternAutomaton(read.pattern.program)] : []
  })
  const { letters, complete } = lettersOf(automata)
  const space = explore(automata, letters)
  return { ...space, complete: space.complete && complete && automata.length === patterns.length }
}

/** Returns a text that the pattern probably matches, even if the pattern is too large to decide. */
export function likelyText(pattern: string): string {
  const read = readPattern(pattern)
  return read.ok ? shortestMatch(read.pattern.program) : ''
}

const small = new Map<string, boolean>()
const rememberedMax = 10_000

/** Returns true if the automaton of the pattern fits the bounds, so that the pattern is decided exactly. */
export function isSmallPattern(pattern: string): boolean {
  const known = small.get(pattern)
  if (known !== undefined) return known
  const fresh = textSpaceOf([pattern]).complete
  if (small.size >= rememberedMax) small.clear()
  small.set(pattern, fresh)
  return fresh
}

const visitsPerJudgement = 10

/** A cache of the text spaces of one proof, because the same patterns recur. */
export class TextSpaces {
  private readonly known = new Map<string, TextSpace>()
  private readonly meter: StepBudget

  constructor(meter: StepBudget) {
    this.meter = meter
  }

  of(patterns: readonly string[]): TextSpace {
    const key = JSON.stringify(patterns)
    const known = this.known.get(key)
    if (known) return known
    const fresh = textSpaceOf(patterns)
    this.meter.spend(Math.ceil(fresh.visits / visitsPerJudgement))
    this.known.set(key, fresh)
    return fresh
  }
}

function explore(automata: readonly PatternAutomaton[], letters: readonly Letters[]): TextSpace {
  const states: number[][] = [automata.map(() => startState)]
  const numbers = new Map([[String(states[0]), 0]])
  const firsts = letters.map(([letter = 'a']) => letter.codePointAt(0) ?? 0)
  const next: number[][] = []
  const visits = () => automata.reduce((sum, automaton) => sum + automaton.visits, 0)
  let complete = true
  const numberOf = (state: number[]): number => {
    const known = numbers.get(String(state))
    if (known !== undefined) return known
    if (states.length >= statesMax || visits() > visitsMax) {
      complete = false
      return -1
    }
    numbers.set(String(state), states.length)
    return states.push(state) - 1
  }
  for (const state of states) {
    next.push(
      firsts.map(letter =>
        numberOf(automata.map((automaton, index) => automaton.next(state[index] ?? 0, letter))),
      ),
    )
  }
  const marks = states.map(state =>
    automata.map((one, index) => Number(one.accepts(state[index] ?? 0))).join(''),
  )
  return { letters, next, marks, complete, visits: visits() }
}

function lettersOf(automata: readonly PatternAutomaton[]): { letters: Letters[]; complete: boolean } {
  const cuts = [...new Set([...asciiCuts, ...automata.flatMap(one => one.cuts)])].sort(
    (left, right) => left - right,
  )
  const all = alphabet.flatMap(range => split(range, cuts))
  const tests = automata.reduce((sum, { testCount }) => sum + testCount, 0)
  const complete = all.length * tests <= letterTestsMax
  const kinds = new Map<string, Range[]>()
  for (const range of complete ? all : all.filter(([from]) => from < 0x80)) {
    const kind = automata.map(automaton => automaton.kindOf(range[0])).join(' ')
    const known = kinds.get(kind)
    if (known) known.push(range)
    else kinds.set(kind, [range])
  }
  const letters = [...kinds.values()].map(lettersIn)
  return { letters: letters.sort((left, right) => rank(left) - rank(right)), complete }
}

function split([first, last]: Range, cuts: readonly number[]): Range[] {
  const starts = [first, ...cuts.filter(cut => cut > first && cut <= last)]
  return starts.map((from, index) => [from, (starts[index + 1] ?? last + 1) - 1])
}

function lettersIn(ranges: readonly Range[]): Letters {
  const letters = readable.filter(letter => {
    const point = letter.codePointAt(0) ?? 0
    return ranges.some(([from, to]) => point >= from && point <= to)
  })
  const found = new Set(letters)
  for (const [from, to] of ranges) {
    for (let point = from; point <= to && found.size < lettersTried; point += 1)
      found.add(String.fromCodePoint(point))
  }
  return [...found].slice(0, lettersTried)
}

function rank([first = '']: Letters): number {
  const at = readable.indexOf(first)
  return at < 0 ? readable.length : at
}
