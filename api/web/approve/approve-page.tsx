import { useMemo, useRef } from 'react'
import { useParams } from 'react-router'
import { keysTenant, useLive } from '../lib/live.ts'
import { usePages } from '../lib/query.tsx'
import { lock, useTabKeyId } from '../lib/session/tab-key.ts'
import { ApprovalsDesk } from '../panels/approvals/approvals-desk.tsx'
import { type Desk, DeskProvider } from '../panels/approvals/desk.ts'
import { heldPage } from '../panels/approvals/inbox/use-held.ts'
import { LiveSign } from '../panels/approvals/live-sign.tsx'
import { ClipboardCheck, Lock } from '../pictures/icons.ts'
import { Button } from '../ui/button.tsx'
import { Shell } from '../ui/layout/shell.tsx'
import { ThemeChoice } from '../ui/layout/theme-choice.tsx'

const pollMs = 5_000

/** Shows the waiting actions to the holder of an approver key. The holder can decide them and do nothing else. */
export function ApprovePage() {
  const { tenantId, actionId } = useParams()
  const keyId = useTabKeyId()
  const liveness = useLive(keysTenant)
  const polling = liveness === 'polling'
  const every = polling ? pollMs : false
  const { data } = usePages('inbox', { query: { limit: heldPage } }, { every, keep: true })
  const tenant = useKnown(tenantId ?? data?.pages[0]?.approvals[0]?.tenant_id)
  const desk = useMemo(() => approversDesk(tenant, keyId), [tenant, keyId])
  return (
    <Shell
      name="Approvals"
      home="/"
      entered
      items={[
        { to: '/', label: 'Approvals', icon: ClipboardCheck, end: true, count: data?.pages.at(-1)?.waiting },
      ]}
      foot={
        <>
          <LiveSign liveness={liveness} />
          <p className="text-sm text-soft">Locks on reload, and after 30 minutes without use.</p>
          <div className="flex items-center justify-between gap-2">
            <Button size="small" onClick={() => lock('by_hand')}>
              <Lock className="size-4" aria-hidden /> Lock
            </Button>
            <ThemeChoice />
          </div>
        </>
      }
    >
      <DeskProvider value={desk}>
        <ApprovalsDesk actionId={actionId} polling={polling} />
      </DeskProvider>
    </Shell>
  )
}

/** Remembers the tenant of the key, because an empty list of actions does not name the tenant. */
function useKnown(tenantId: string | undefined): string {
  const known = useRef('')
  if (tenantId !== undefined) known.current = tenantId
  return known.current
}

function approversDesk(tenantId: string, keyId: string | null): Desk {
  return {
    requests: {
      list: 'inbox',
      groups: 'inbox_groups',
      read: 'read_action',
      review: 'read_review',
      approve: 'approve_action',
      reject: 'reject_action',
      edit: 'edit_action',
      comment: 'comment_action',
      decide: 'decide_approvals',
    },
    push: { read: 'read_push', subscribe: 'subscribe_push', unsubscribe: 'unsubscribe_push' },
    absence: { read: 'read_own_absences', decline: 'decline_absence' },
    params: {},
    scope: {},
    applicationOf: null,
    savesViews: false,
    person: keyId === null ? null : { id: keyId, holder: null },
    home: '/',
    pathOf: actionId => `/${tenantId}/${actionId}`,
    tracePathOf: null,
    grantPathOf: null,
  }
}
