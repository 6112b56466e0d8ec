import { ClampedText } from '../../ui/clamped-text.tsx'

export function CellText({ text }: { text: string | null }) {
  if (text === null || text === '') return '—'
  return (
    <span className="block md:max-w-72">
      <ClampedText text={text} limit={140} className="text-sm" />
    </span>
  )
}
