import { ScrollArea } from '@base-ui/react/scroll-area'
import type { ReactNode } from 'react'

/** Scrolls its content within a fixed height. The page below does not move when rows are added or removed. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ScrollArea.Root className="h-80">
      <ScrollArea.Viewport
        role="region"
        aria-label={label}
        className="h-full rounded-b-xl outline-offset-[-2px]"
      >
        {children}
      </ScrollArea.Viewport>
    </ScrollArea.Root>
  )
}
