import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export interface CardProps {
  title?: ReactNode
  hint?: ReactNode
  actions?: ReactNode
  className?: string
  /** False for lists and tables, which extend to the edge of the card. */
  padded?: boolean
  children: ReactNode
}

export function Card({ title, hint, actions, className, padded = true, children }: CardProps) {
  return (
    <section className={classes('min-w-0 rounded-xl border border-line bg-surface shadow-card', className)}>
      {(title || actions) && (
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-5 py-3.5">
          <div className="min-w-0">
            {title && <h2 className="text-base font-semibold">{title}</h2>}
            {hint && <p className="text-sm text-soft">{hint}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={padded ? 'p-5' : ''}>{children}</div>
    </section>
  )
}

/** Lists names with their values. On narrow screens each value is below its name. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[minmax(8rem,auto)_1fr]">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-sm text-soft">{name}</dt>
          <dd className="-mt-2 min-w-0 break-words sm:mt-0">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
