import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { ActionSummary } from '../../../../shared/contract/action/action.ts'
import { kindOf } from '../../../../shared/contract/actuator-kind/kinds.ts'
import { useCall } from '../../lib/query.tsx'
import { useFreshKey } from '../../lib/session/fresh-keys.ts'
import { Check, Plus } from '../../pictures/icons.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Page } from '../../ui/layout/page.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { FirstDecision } from './first-decision.tsx'
import { SnippetTabs } from './snippet-tabs.tsx'
import { KeyOnce } from './store-key.tsx'

/**
 * Leads a new application to its first decision. The person connects a tool first, then an agent that calls it.
 */
export function FirstRun({
  tenantId,
  name,
  first,
  onDone,
}: {
  tenantId: string
  name: ReactNode
  first: ActionSummary | null
  onDone(): void
}) {
  const tools = useCall('list_owned_tools', { params: { tenant_id: tenantId } })
  const own =
    tools.data?.tools.find(({ kind }) => kind !== null && !kindOf({ kind }).simulated)?.system ?? null
  return (
    <Page
      title={first ? 'Your first decision' : titleBefore(own)}
      lead={
        first ? (
          <>{name} has its first decision. Every proposal takes this way.</>
        ) : (
          <>{name}: three steps from here to the first decision of the gate.</>
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
        <Step number={1} title="Connect your tool" state={own !== null ? 'done' : first ? 'next' : 'now'}>
          <ConnectTool tenantId={tenantId} own={own} />
        </Step>
        <Step number={2} title="Run a first proposal" state={first ? 'done' : own === null ? 'next' : 'now'}>
          {first ? <p className="text-sm text-soft">It has arrived.</p> : <RunProposal tenantId={tenantId} />}
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

function titleBefore(own: string | null): string {
  return own === null ? 'Connect your tool' : 'Make the first proposal'
}

function ConnectTool({ tenantId, own }: { tenantId: string; own: string | null }) {
  if (own !== null)
    return (
      <p className="text-sm text-soft">
        <Link
          to={`/a/${tenantId}/tools/at/${encodeURIComponent(own)}`}
          className="rounded text-accent underline"
        >
          <ForeignText text={own} />
        </Link>{' '}
        is connected.
      </p>
    )
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-sm text-soft">
        Import an OpenAPI document or an MCP server. You see every operation with its rules before anything is
        stored.
      </p>
      <ButtonLink variant="primary" to={`/a/${tenantId}/tools/add`}>
        <Plus className="size-4" aria-hidden /> Connect your tool
      </ButtonLink>
      <p className="text-sm text-soft">No tool at hand? Step 2 works with a simulated one.</p>
    </div>
  )
}

function RunProposal({ tenantId }: { tenantId: string }) {
  const freshKey = useFreshKey(tenantId)
  if (freshKey && !freshKey.stored) return <KeyOnce tenantId={tenantId} freshKey={freshKey} />
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-soft">
        {freshKey
          ? 'You have stored the agent’s key. '
          : 'The agent’s key was shown when the application was made. '}
        Lost it?{' '}
        <Link to={`/a/${tenantId}/keys`} className="rounded text-accent underline">
          Make another key
        </Link>
        .
      </p>
      <SnippetTabs tenantId={tenantId} secret={freshKey?.secret ?? null} />
    </div>
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
