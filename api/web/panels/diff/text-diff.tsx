import { ScrollArea } from '@base-ui/react/scroll-area'
import { useMemo, useState } from 'react'
import { counted } from '../../lib/format.ts'
import { type DiffPart, diffParts } from '../../lib/policy/diff-rows.ts'
import { type DiffLine, lineDiff } from '../../lib/policy/line-diff.ts'
import { useWide } from '../../lib/wide.ts'
import { classes } from '../../ui/classes.ts'
import { ShowMore, useShown } from '../../ui/show-more.tsx'
import { ForeignText } from '../../ui/text.tsx'

const rowsStep = 300
type Labels = readonly [before: string, after: string]

export function TextDiff({ before, after, labels }: { before: string; after: string; labels: Labels }) {
  const { lines, coarse } = useMemo(() => lineDiff(before, after), [before, after])
  const removed = lines.filter(({ kind }) => kind === 'removed').length
  const added = lines.filter(({ kind }) => kind === 'added').length
  if (removed + added === 0)
    return (
      <p className="text-soft">
        {labels[0]} and {labels[1]} say the same.
      </p>
    )
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm text-soft">
        {counted(removed, 'line')} removed, {counted(added, 'line')} added.
        {coarse &&
          ' The texts are too long or too unlike to compare line by line: what differs is shown as a whole.'}
      </p>
      <Comparison lines={lines} labels={labels} />
    </div>
  )
}

function Comparison({ lines, labels }: { lines: readonly DiffLine[]; labels: Labels }) {
  const wide = useWide()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const parts = useMemo(() => diffParts(lines, wide, open), [lines, wide, open])
  const { shown, rest, more } = useShown(parts, rowsStep)
  const caption = `${labels[0]} compared with ${labels[1]}`
  return (
    <>
      <ScrollArea.Root className="rounded-lg border border-line">
        <ScrollArea.Viewport role="region" aria-label={caption} className="max-h-[75dvh] rounded-lg">
          <table className="w-full table-fixed border-collapse font-mono text-[0.8125rem] leading-[21px]">
            <caption className="sr-only">{caption}</caption>
            <Heads labels={labels} wide={wide} />
            <tbody>
              {shown.map(part => (
                <Part
                  key={part.key}
                  part={part}
                  wide={wide}
                  onOpen={() => setOpen(new Set([...open, part.key]))}
                />
              ))}
            </tbody>
          </table>
        </ScrollArea.Viewport>
      </ScrollArea.Root>
      <ShowMore rest={rest} what="lines" more={more} />
    </>
  )
}

function Heads({ labels, wide }: { labels: Labels; wide: boolean }) {
  return (
    <thead className="sticky top-0 bg-sunken text-left font-sans text-sm">
      <tr>
        {(wide ? labels : [`${labels[0]} → ${labels[1]}`]).map(label => (
          <th key={label} scope="col" className="px-3 py-1.5 font-medium">
            {label}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function Part({ part, wide, onOpen }: { part: DiffPart; wide: boolean; onOpen(): void }) {
  if ('folded' in part)
    return (
      <tr>
        <td colSpan={wide ? 2 : 1} className="border-y border-line bg-sunken p-0">
          <button
            type="button"
            onClick={onOpen}
            className="min-h-7 w-full px-3 text-left font-sans text-sm text-soft -outline-offset-2 hover:text-ink"
          >
            {counted(part.folded, 'equal line')} not shown. Show
          </button>
        </td>
      </tr>
    )
  const [left, right] = part.cells
  return (
    <tr className="align-top">
      <Cell line={left ?? null} side={left?.kind === 'added' ? 'after' : 'before'} />
      {wide && <Cell line={right ?? null} side="after" />}
    </tr>
  )
}

const looks = {
  same: { wash: '', sign: ' ', says: '' },
  removed: { wash: 'bg-bad-wash', sign: '−', says: 'removed: ' },
  added: { wash: 'bg-good-wash', sign: '+', says: 'added: ' },
} as const

function Cell({ line, side }: { line: DiffLine | null; side: 'before' | 'after' }) {
  if (!line) return <td className="bg-sunken" />
  const { wash, sign, says } = looks[line.kind]
  return (
    <td className={classes('p-0', wash)}>
      <div className="relative grid grid-cols-[3rem_1.25rem_minmax(0,1fr)] pr-2">
        <span aria-hidden className="pr-2 text-right text-soft select-none">
          {line[side]}
        </span>
        <span aria-hidden className="select-none">
          {sign}
        </span>
        <span className="whitespace-pre-wrap">
          <span className="sr-only">{says}</span>
          <ForeignText text={line.text} />
        </span>
      </div>
    </td>
  )
}
