import type { DiffLine } from './line-diff.ts'

/** A row of a comparison, with one cell, or two side by side. `folded` counts equal lines that are hidden. */
export type DiffPart = { key: string; cells: readonly (DiffLine | null)[] } | { key: string; folded: number }

const contextLines = 3

export function diffParts(
  lines: readonly DiffLine[],
  sideBySide: boolean,
  open: ReadonlySet<string>,
): DiffPart[] {
  return runsOf(lines).flatMap(({ same, lines: run }, place, runs) => {
    const at = keyOf(run[0])
    if (!same) return sideBySide ? paired(run) : run.map(line => ({ key: keyOf(line), cells: [line] }))
    const rows = run.map(line => ({ key: keyOf(line), cells: sideBySide ? [line, line] : [line] }))
    const head = place === 0 ? 0 : contextLines
    const tail = place === runs.length - 1 ? 0 : contextLines
    const folded = rows.length - head - tail
    if (folded < 2 || open.has(`fold ${at}`)) return rows
    return [...rows.slice(0, head), { key: `fold ${at}`, folded }, ...rows.slice(rows.length - tail)]
  })
}

interface Run {
  same: boolean
  lines: DiffLine[]
}

function runsOf(lines: readonly DiffLine[]): Run[] {
  const runs: Run[] = []
  for (const line of lines) {
    const same = line.kind === 'same'
    const last = runs.at(-1)
    if (last?.same === same) last.lines.push(line)
    else runs.push({ same, lines: [line] })
  }
  return runs
}

function paired(run: readonly DiffLine[]): DiffPart[] {
  const removed = run.filter(({ kind }) => kind === 'removed')
  const added = run.filter(({ kind }) => kind === 'added')
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, at) => {
    const cells = [removed[at] ?? null, added[at] ?? null]
    return { key: keyOf(cells[0] ?? cells[1] ?? undefined), cells }
  })
}

function keyOf(line: DiffLine | undefined): string {
  return `${line?.before ?? '-'} ${line?.after ?? '-'}`
}
