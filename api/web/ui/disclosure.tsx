import type { ReactNode } from 'react'
import { ChevronRight } from '../pictures/icons.ts'

export function Disclosure({
  label,
  open = false,
  children,
}: {
  label: ReactNode
  open?: boolean
  children: ReactNode
}) {
  return (
    <details className="group/disclosure min-w-0" open={open}>
      <summary className="inline-flex min-h-6 cursor-pointer list-none items-center gap-1 rounded text-sm font-medium text-soft hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-4 transition-transform group-open/disclosure:rotate-90" aria-hidden />
        {label}
      </summary>
      <div className="mt-2">{children}</div>
    </details>
  )
}
