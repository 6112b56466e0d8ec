import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { ActionSummary } from '../../../../shared/contract/action/action.ts'
import { useFreshKey } from '../../lib/session/fresh-keys.ts'
import { Check } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Page } from '../../ui/layout/page.tsx'
import { FirstDecision } from './first-decision.tsx'
import { SnippetTabs } from './snippet-tabs.tsx'

/** The way from a template to the first decision, in three steps. */
export function FirstRun({
  tenantId,
  name,
  first,
  onDone,
}: {
  tenantId: string
  name: ReactNode
  /** The first proposal, once it has come. */
  first: ActionSummary | null
  onDone(): void
}) {
  const freshKey = useFreshKey(tenantId)
  return (
    <Page
      title={first ? 'Your first decision' : 'Make the first proposal'}
      lead={
        first ? (
          <>{name} has its first decision. Every proposal takes this way.</>
        ) : (
          <>{name}: one command from here to the first decision of the gate.</>
        )
      }
      actions={first && <Button onClick={onDone}>Go to the overview</Button>}
    >
      <ol
        className={classes(
          'grid gap-4',
          !first && 'xl:grid-cols-[minmax(0,1fr)_21rem] xl:grid-rows-[auto_1fr]',
        )}
      >
        <Step number={1} title="Store the agent key" state="done">
          <p className="text-sm text-soft">
            {freshKey ? 'You have stored it. ' : 'It was shown when the application was made. '}
            Lost it?{' '}
            <Link to={`/a/${tenantId}/keys`} className="rounded text-accent underline">
              Make another key
            </Link>
            .
          </p>
        </Step>
        <Step number={2} title="Run a first proposal" state={first ? 'done' : 'now'}>
          {first ? (
            <p className="text-sm text-soft">It has arrived.</p>
          ) : (
            <SnippetTabs tenantId={tenantId} secret={freshKey?.secret ?? null} />
          )}
        </Step>
        <Step
          number={3}
          title="See what the gate decides"
          state={first ? 'done' : 'next'}
          className={first ? '' : 'self-start xl:sticky xl:top-8 xl:col-start-2 xl:row-span-2 xl:row-start-1'}
        >
          <FirstDecision tenantId={tenantId} first={first} />
        </Step>
      </ol>
    </Page>
  )
}

const looks = {
  done: 'bg-good-wash text-good',
  now: 'bg-accent text-accent-ink',
  next: 'bg-sunken text-soft',
} as const

function Step({
  number,
  title,
  state,
  className,
  children,
}: {
  number: number
  title: string
  state: keyof typeof looks
  className?: string
  children: ReactNode
}) {
  return (
    <li
      aria-current={state === 'now' ? 'step' : undefined}
      className={classes('min-w-0 rounded-xl border border-line bg-surface p-5 shadow-card', className)}
    >
      <div className="flex items-center gap-3">
        <span
          className={classes(
            'grid size-7 shrink-0 place-items-center rounded-full text-sm font-semibold',
            looks[state],
          )}
        >
          {state === 'done' ? <Check className="size-4" aria-hidden /> : number}
        </span>
        <h2 className="font-semibold">
          {title}
          {state === 'done' && <span className="sr-only"> (done)</span>}
        </h2>
      </div>
      <div className={classes('mt-3', state !== 'next' && 'sm:pl-10')}>{children}</div>
    </li>
  )
}
