import { ClampedText } from '../../ui/clamped-text.tsx'

/** A text of somebody else in a cell of a table: it may be long, and leaves the other cells their room. */
export function CellText({ text }: { text: string | null }) {
  if (text === null || text === '') return '—'
  return (
    <span className="block md:max-w-72">
      <ClampedText text={text} limit={140} className="text-sm" />
    </span>
  )
}
