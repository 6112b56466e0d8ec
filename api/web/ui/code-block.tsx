import { ScrollArea } from '@base-ui/react/scroll-area'
import { CopyButton } from './copy-button.tsx'

export function CodeBlock({
  text,
  what,
  lines = 24,
  copies = text,
}: {
  text: string
  what: string
  lines?: number
  /** The text that is copied. It differs from the shown text if a secret is hidden on the page. */
  copies?: string
}) {
  return (
    <ScrollArea.Root className="relative rounded-lg border border-line bg-sunken">
      <div className="absolute top-1.5 right-1.5 z-10 rounded-lg bg-sunken">
        <CopyButton text={copies} what={what} bare />
      </div>
      <ScrollArea.Viewport
        role="region"
        aria-label={what}
        style={{ maxHeight: `${lines * 1.5}em` }}
        className="rounded-lg"
      >
        <pre className="w-max min-w-full p-4 pr-12 font-mono text-[0.8125rem] leading-relaxed">{text}</pre>
      </ScrollArea.Viewport>
    </ScrollArea.Root>
  )
}
