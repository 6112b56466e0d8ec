import { type Letters, lettersTried, type TextSpace } from './text-space.ts'

export interface TextClasses {
  values: string[]
  complete: boolean
}

interface Asked {
  /** Lengths in code points at which the result of a schema changes. */
  lengths: readonly number[]
  lengthMax: number
  isKnown(text: string): boolean
}

/** Returns one new text per class. A class is a set of matched patterns with a range of lengths. */
export function textClasses(space: TextSpace, { lengths, lengthMax, isKnown }: Asked): TextClasses {
  const starts = [...new Set([0, ...lengths])].filter(length => length <= lengthMax)
  starts.sort((left, right) => left - right)
  const found: TextClasses = { values: [], complete: space.complete }
  for (const mark of [...new Set(space.marks)].sort().reverse()) {
    const texts = new MarkedTexts(space, mark)
    for (const [index, least] of starts.entries()) {
      const most = (starts[index + 1] ?? lengthMax + 1) - 1
      const text = texts.first({ least, most }, isKnown)
      if (text !== null) found.values.push(text)
    }
    found.complete &&= texts.complete
  }
  return found
}

const transitionsMax = 2_000_000

class MarkedTexts {
  /** False once a bound has left out texts. */
  complete = true
  private readonly space: TextSpace
  /**
   * For each length, the states from which exactly that many letters reach the mark. From `cycle` on, they
   * repeat.
   */
  private readonly levels: Uint8Array[]
  private readonly seen = new Map<string, number>()
  private cycle: number | null = null

  constructor(space: TextSpace, mark: string) {
    this.space = space
    this.levels = [Uint8Array.from(space.marks, one => Number(one === mark))]
    this.seen.set(String(this.levels[0]), 0)
  }

  first({ least, most }: { least: number; most: number }, isKnown: (text: string) => boolean): string | null {
    let barren = 0
    // A longer text would repeat a state and could be shortened, so the search stops there.
    for (let length = least; length <= most && barren <= this.space.next.length; length += 1) {
      const level = this.levelOf(length)
      if (level === null) return null
      barren = level[0] === 1 ? 0 : barren + 1
      const found = level[0] === 1 ? this.unknownOf(length, isKnown) : null
      if (found !== null) return found
    }
    return null
  }

  private unknownOf(length: number, isKnown: (text: string) => boolean): string | null {
    for (const text of this.ofLength(length)) if (!isKnown(text)) return text
    return null
  }

  private levelOf(length: number): Uint8Array | null {
    while (this.cycle === null && this.levels.length <= length) {
      if (this.levels.length * this.space.next.length * this.space.letters.length > transitionsMax) {
        this.complete = false
        return null
      }
      this.addLevel()
    }
    if (this.cycle === null || length < this.levels.length) return this.levels[length] ?? null
    const period = this.levels.length - this.cycle
    return this.levels[this.cycle + ((length - this.cycle) % period)] ?? null
  }

  private addLevel(): void {
    const last = this.levels.at(-1)
    const level = Uint8Array.from(this.space.next, nexts => Number(nexts.some(state => last?.[state] === 1)))
    const key = String(level)
    const before = this.seen.get(key)
    if (before !== undefined) this.cycle = before
    else this.seen.set(key, this.levels.push(level) - 1)
  }

  /** Yields all texts of one length, but tries at most 64 letters of each kind. */
  private *ofLength(length: number): Generator<string> {
    const text: string[] = []
    const states = [0]
    const choices = [0]
    while (choices.length > 0) {
      const depth = choices.length - 1
      if (depth === length) yield text.join('')
      const step =
        depth === length ? null : this.step(states[depth] ?? 0, choices[depth] ?? 0, length - depth - 1)
      if (step === null) {
        for (const list of [choices, states, text]) list.pop()
        continue
      }
      choices[depth] = step.choice + 1
      text.push(step.letter)
      states.push(step.state)
      choices.push(0)
    }
  }

  private step(
    from: number,
    choice: number,
    left: number,
  ): { letter: string; state: number; choice: number } | null {
    const { letters, next } = this.space
    const level = this.levelOf(left)
    for (let at = choice; at < lettersTried * letters.length; at += 1) {
      const kind = at % letters.length
      const letter = letters[kind]?.[Math.floor(at / letters.length)]
      const state = next[from]?.[kind] ?? -1
      if (letter !== undefined && state >= 0 && level?.[state] === 1) return { letter, state, choice: at }
    }
    const isCut = (kind: Letters, at: number) =>
      kind.length === lettersTried && level?.[next[from]?.[at] ?? -1] === 1
    if (letters.some(isCut)) this.complete = false
    return null
  }
}
