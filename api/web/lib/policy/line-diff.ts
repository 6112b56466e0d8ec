/**
 * A line of a comparison. `before` and `after` are its line numbers, counted from 1; null in the text without it.
 */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  text: string
  before: number | null
  after: number | null
}

export interface LineDiff {
  lines: DiffLine[]
  /**
   * True if the texts were too long or too different for a line comparison. The middle then counts as replaced.
   */
  coarse: boolean
}

const linesMax = 5_000
const changesMax = 1_000

/** Compares two texts by their shortest edit (Myers). The work is limited, so that no text blocks the page. */
export function lineDiff(before: string, after: string): LineDiff {
  const old = before.split('\n')
  const fresh = after.split('\n')
  const head = sharedHead(old, fresh)
  const tail = sharedTail(old, fresh, head)
  const inner = { old: old.slice(head, old.length - tail), fresh: fresh.slice(head, fresh.length - tail) }
  const kinds = shortestEdit(inner.old, inner.fresh)
  const steps: Kind[] = [
    ...same(head),
    ...(kinds ?? [...inner.old.map(() => 'removed' as const), ...inner.fresh.map(() => 'added' as const)]),
    ...same(tail),
  ]
  return { lines: numbered(steps, old, fresh), coarse: kinds === null }
}

type Kind = DiffLine['kind']

function same(count: number): Kind[] {
  return Array.from({ length: count }, () => 'same')
}

function sharedHead(old: readonly string[], fresh: readonly string[]): number {
  const most = Math.min(old.length, fresh.length)
  let count = 0
  while (count < most && old[count] === fresh[count]) count += 1
  return count
}

function sharedTail(old: readonly string[], fresh: readonly string[], head: number): number {
  const most = Math.min(old.length, fresh.length) - head
  let count = 0
  while (count < most && old.at(-1 - count) === fresh.at(-1 - count)) count += 1
  return count
}

/**
 * Returns null if the texts have more than 5,000 lines or 1,000 changes, because the search would take too long.
 */
function shortestEdit(old: readonly string[], fresh: readonly string[]): Kind[] | null {
  if (old.length > linesMax || fresh.length > linesMax) return null
  const most = Math.min(old.length + fresh.length, changesMax)
  const furthest = new Map<number, number>([[1, 0]])
  const trail: Map<number, number>[] = []
  for (let changes = 0; changes <= most; changes += 1) {
    trail.push(new Map(furthest))
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const x = slide(old, fresh, { diagonal, x: entry(furthest, diagonal, changes) })
      furthest.set(diagonal, x)
      if (x >= old.length && x - diagonal >= fresh.length) return walkBack(trail, old.length, fresh.length)
    }
  }
  return null
}

/** Returns where an edit path enters a diagonal, coming from the neighbouring diagonal that got further. */
function entry(furthest: ReadonlyMap<number, number>, diagonal: number, changes: number): number {
  return comesDown(furthest, diagonal, changes)
    ? (furthest.get(diagonal + 1) ?? 0)
    : (furthest.get(diagonal - 1) ?? 0) + 1
}

function comesDown(furthest: ReadonlyMap<number, number>, diagonal: number, changes: number): boolean {
  if (diagonal === -changes) return true
  if (diagonal === changes) return false
  return (furthest.get(diagonal - 1) ?? 0) < (furthest.get(diagonal + 1) ?? 0)
}

function slide(
  old: readonly string[],
  fresh: readonly string[],
  { diagonal, x }: { diagonal: number; x: number },
): number {
  let at = x
  while (at < old.length && at - diagonal < fresh.length && old[at] === fresh[at - diagonal]) at += 1
  return at
}

function walkBack(
  trail: readonly ReadonlyMap<number, number>[],
  oldLength: number,
  freshLength: number,
): Kind[] {
  const kinds: Kind[] = []
  let x = oldLength
  let y = freshLength
  for (let changes = trail.length - 1; changes > 0; changes -= 1) {
    const furthest = trail[changes] ?? new Map<number, number>()
    const down = comesDown(furthest, x - y, changes)
    const from = furthest.get(x - y + (down ? 1 : -1)) ?? 0
    const entered = down ? from : from + 1
    kinds.push(...same(x - entered), down ? 'added' : 'removed')
    y = from - (x - y + (down ? 1 : -1))
    x = from
  }
  return [...kinds, ...same(x)].reverse()
}

function numbered(kinds: readonly Kind[], old: readonly string[], fresh: readonly string[]): DiffLine[] {
  let before = 0
  let after = 0
  return kinds.map(kind => {
    if (kind !== 'added') before += 1
    if (kind !== 'removed') after += 1
    const text = (kind === 'added' ? fresh[after - 1] : old[before - 1]) ?? ''
    return {
      kind,
      text,
      before: kind === 'added' ? null : before,
      after: kind === 'removed' ? null : after,
    }
  })
}
