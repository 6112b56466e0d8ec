import type { Instruction, PatternProgram } from './linear-pattern.ts'

const does = { alt: 1, altMatch: 2, emptyWidth: 4, fail: 5, match: 6, rune: 8, any: 10, anyButLineFeed: 11 }
const at = { lineBegin: 1, lineEnd: 2, textBegin: 4, textEnd: 8, wordBoundary: 16, noWordBoundary: 32 }
const bothCases = 1

const nothing = -1
const lineFeed = 0x0a
/** One letter for all word letters and one for most other letters, because boundary tests treat these alike. */
const wordLetter = 0x61
const otherLetter = 0x20

interface State {
  readonly from: readonly number[]
  readonly before: number
}

/** State numbers. A text that has matched stays matched, because a match may occur anywhere in the text. */
export const startState = 0
const matchedState = 1

/**
 * A deterministic automaton over code points. It accepts a text if the pattern matches anywhere in the text.
 * It is built from the gate's own program, so that both agree, and it makes states on demand.
 */
export class PatternAutomaton {
  /** Code points at which the behaviour of the automaton may change. */
  readonly cuts: readonly number[]
  visits = 0
  private readonly program: PatternProgram
  private readonly states: State[]
  private readonly numbers = new Map<string, number>()
  private readonly tests: readonly Instruction[]
  private readonly looksAround: boolean

  constructor(program: PatternProgram) {
    this.program = program
    this.looksAround = program.inst.some(
      ({ op, arg }) => op === does.emptyWidth && (arg & ~(at.textBegin | at.textEnd)) !== 0,
    )
    this.cuts = cutsOf(program, this.looksAround)
    this.tests = testsOf(program)
    const begin = { from: [], before: nothing }
    this.states = [begin, begin]
    this.numbers.set(keyOf(begin), startState)
  }

  get testCount(): number {
    return this.tests.length
  }

  /** Returns a key for a letter. Letters with equal keys lead to the same states. */
  kindOf(letter: number): string {
    return `${this.contextOf(letter)} ${this.tests.map(test => Number(takesLetter(test, letter))).join('')}`
  }

  next(state: number, letter: number): number {
    if (state === matchedState) return matchedState
    const { matched, consuming } = this.follow(state, letter)
    if (matched) return matchedState
    const taking = consuming.filter(instruction => takesLetter(instruction, letter))
    const from = [...new Set(taking.map(({ out }) => out))].sort((left, right) => left - right)
    return this.numberOf({ from, before: this.contextOf(letter) })
  }

  accepts(state: number): boolean {
    return state === matchedState || this.follow(state, nothing).matched
  }

  /**
   * Follows empty instructions to those that consume a letter. It always includes the start of the program,
   * because a match may begin at any position.
   */
  private follow(number: number, next: number): { matched: boolean; consuming: Instruction[] } {
    const { from, before } = this.states[number] as State
    const allowed = flagsBetween(before, next)
    const seen = new Set([...from, this.program.start])
    const consuming: Instruction[] = []
    for (const pc of seen) {
      this.visits += 1
      const instruction = this.program.inst[pc] as Instruction
      const { op, arg } = instruction
      if (op === does.match) return { matched: true, consuming: [] }
      if (op >= does.rune) consuming.push(instruction)
      else if (op !== does.emptyWidth || (arg & ~allowed) === 0)
        for (const pc of following(instruction)) seen.add(pc)
    }
    return { matched: false, consuming }
  }

  private contextOf(letter: number): number {
    if (!this.looksAround) return otherLetter
    if (letter === lineFeed) return lineFeed
    return isWord(letter) ? wordLetter : otherLetter
  }

  private numberOf(state: State): number {
    const key = keyOf(state)
    const known = this.numbers.get(key)
    if (known !== undefined) return known
    this.numbers.set(key, this.states.length)
    return this.states.push(state) - 1
  }
}

/** Returns false if the program has an instruction that this file does not know. */
export function isReadable({ inst }: PatternProgram): boolean {
  return inst.every(({ op, arg, runes }) => {
    if (op < does.alt || op > does.anyButLineFeed) return false
    return op < does.rune || (arg & bothCases) === 0 || casesOf(runes[0] ?? 0).length === 2
  })
}

function testsOf({ inst }: PatternProgram): Instruction[] {
  const taking = inst.filter(({ op }) => op >= does.rune)
  return [...new Map(taking.map(one => [`${one.op} ${one.arg} ${[...one.runes]}`, one])).values()]
}

function takesLetter(instruction: Instruction, letter: number): boolean {
  if (instruction.op === does.any) return true
  if (instruction.op === does.anyButLineFeed) return letter !== lineFeed
  return instruction.matchRune(letter)
}

function keyOf({ from, before }: State): string {
  return `${before} ${from}`
}

function isWord(letter: number): boolean {
  return /^\w$/.test(letter < 0 ? '' : String.fromCodePoint(letter))
}

function flagsBetween(before: number, next: number): number {
  return (
    (before === nothing ? at.textBegin : 0) |
    (next === nothing ? at.textEnd : 0) |
    (before === nothing || before === lineFeed ? at.lineBegin : 0) |
    (next === nothing || next === lineFeed ? at.lineEnd : 0) |
    (isWord(before) === isWord(next) ? at.noWordBoundary : at.wordBoundary)
  )
}

/**
 * Code points at which words and lines begin or end. They matter only if the pattern tests for such
 * boundaries.
 */
const cutsAround = [lineFeed, lineFeed + 1, 0x30, 0x3a, 0x41, 0x5b, 0x5f, 0x60, 0x61, 0x7b]

function cutsOf({ inst }: PatternProgram, looksAround: boolean): number[] {
  const cuts = new Set(looksAround ? cutsAround : [])
  for (const instruction of inst) for (const [from, to] of rangesOf(instruction)) cuts.add(from).add(to + 1)
  return [...cuts]
}

function rangesOf({ op, arg, runes }: Instruction): (readonly [from: number, to: number])[] {
  if (op === does.anyButLineFeed) return [[lineFeed, lineFeed]]
  if (op < does.rune || op >= does.any) return []
  const all = [...runes]
  if (all.length === 1) return casesOf(all[0] ?? 0, arg).map(letter => [letter, letter])
  return all.flatMap((from, index) => (index % 2 === 0 ? [[from, all[index + 1] ?? from] as const] : []))
}

/**
 * Returns both cases of a letter. The engine writes a class of exactly these two letters as one letter with a
 * flag.
 */
function casesOf(letter: number, arg = bothCases): number[] {
  if ((arg & bothCases) === 0) return [letter]
  const text = String.fromCodePoint(letter)
  return [...new Set([text, text.toLowerCase(), text.toUpperCase()])]
    .filter(one => [...one].length === 1)
    .map(one => one.codePointAt(0) ?? letter)
}

/**
 * Returns a text along the program's shortest path. It usually matches, but word and line conditions are
 * ignored.
 */
export function shortestMatch({ inst, start }: PatternProgram): string {
  const seen = new Set([start])
  type Step = [pc: number, text: string]
  const steps: Step[][] = [[[start, '']]]
  for (const step of steps) {
    const after: typeof step = []
    for (const [pc, text] of step) {
      const instruction = inst[pc] as Instruction
      if (instruction.op === does.match) return text
      const further = following(instruction).filter(next => !seen.has(next))
      for (const next of further) seen.add(next)
      if (instruction.op < does.rune) step.push(...further.map((next): Step => [next, text]))
      else after.push(...further.map((next): Step => [next, text + letterFor(instruction)]))
    }
    if (after.length > 0) steps.push(after)
  }
  return ''
}

function following({ op, out, arg }: Instruction): number[] {
  if (op === does.fail) return []
  return op === does.alt || op === does.altMatch ? [out, arg] : [out]
}

function letterFor(instruction: Instruction): string {
  const usual = [...'a0A-_.:/@ '].find(letter => takesLetter(instruction, letter.codePointAt(0) ?? 0))
  return usual ?? String.fromCodePoint([...instruction.runes][0] ?? 0x61)
}
