import { ClampedText } from '../../ui/clamped-text.tsx'

/** Shows a foreign text in a table cell, shortened so that it leaves room for the other cells. */
export function CellText({ text }: { text: string | null }) {
  if (text === null || text === '') return '—'
  return (
    <span className="block md:max-w-72">
      <ClampedText text={text} limit={140} className="text-sm" />
    </span>
  )
}
