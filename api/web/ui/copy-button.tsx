import { useCopy } from '../lib/copy.ts'
import { Check, Copy, TriangleAlert } from '../pictures/icons.ts'
import { Button } from './button.tsx'

const labels = { idle: 'Copy', copied: 'Copied', failed: 'Select it and copy' } as const
const icons = { idle: Copy, copied: Check, failed: TriangleAlert } as const

/** Copies a text. Screen readers call the text `what`. */
export function CopyButton({ text, what, bare = false }: { text: string; what: string; bare?: boolean }) {
  const { state, copy } = useCopy()
  const Icon = icons[state]
  return (
    <Button
      variant={bare ? 'quiet' : 'secondary'}
      size={bare ? 'icon' : 'small'}
      onClick={() => copy(text)}
      aria-label={`${labels[state]}: ${what}`}
      title={labels[state]}
    >
      <Icon className="size-4" aria-hidden />
      {!bare && labels[state]}
      <span className="sr-only" role="status">
        {state === 'copied' ? `${what} copied` : ''}
      </span>
    </Button>
  )
}

/** Shows a shortened hash or id. The copy button copies the whole value. */
export function Digest({ value, what, short = 16 }: { value: string; what: string; short?: number }) {
  const shown = value.length > short + 8 ? `${value.slice(0, short)}…${value.slice(-6)}` : value
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="truncate font-mono text-[0.8125rem]" title={value}>
        {shown}
      </code>
      <CopyButton text={value} what={what} bare />
    </span>
  )
}
