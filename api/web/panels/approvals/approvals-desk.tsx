import { useState } from 'react'
import { useOnline } from '../../lib/online.ts'
import { waitForYou } from '../../lib/policy/route-words.ts'
import { useRefresh } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { Inbox } from '../../pictures/icons.ts'
import { Page } from '../../ui/layout/page.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { ApprovalsInbox } from './approvals-inbox.tsx'
import { useDesk } from './desk.ts'
import { NewHeld } from './inbox/new-held.tsx'
import { filtersOf, notNarrowed, useHeld } from './inbox/use-held.ts'
import { LastDecision } from './last-decision.tsx'
import { NotifyHere } from './notify-here.tsx'
import { OfflineBanner } from './offline-banner.tsx'
import { StandsIn } from './stands-in.tsx'
import { useDecided } from './use-decided.ts'

export interface ApprovalsDeskProps {
  actionId: string | undefined
  /** True if the list is polled, because no event stream reports its changes. */
  polling?: boolean
}

export function ApprovalsDesk({ actionId, polling = false }: ApprovalsDeskProps) {
  const { requests, applicationOf, push, absence } = useDesk()
  const refresh = useRefresh()
  const online = useOnline(() => void refresh([requests.list, requests.read]))
  const { last, gone, add, leave, dismiss } = useDecided()
  const [narrowed, narrow] = useState(notNarrowed)
  const inbox = useHeld(gone, polling, narrowed)
  const may = useMay()
  const isNarrowed = Object.keys(filtersOf(narrowed)).length > 0
  const notYours = inbox.held.length - waitForYou(inbox.held)
  return (
    <Page
      title={applicationOf ? 'All approvals' : 'Approvals'}
      count={inbox.waiting - notYours}
      lead="Actions that the policy holds until somebody decides. Nothing runs until someone approves. No answer means no."
      actions={push && may(push.read) && <NotifyHere push={push} />}
    >
      <OfflineBanner online={online} />
      {absence && <StandsIn absence={absence} />}
      <NewHeld key={JSON.stringify(filtersOf(narrowed))} held={inbox.pages.data && inbox.held} />
      {last && <LastDecision key={last.actionId} decision={last} onDismiss={dismiss} />}
      <Reading query={inbox.pages} rows={9}>
        {() =>
          inbox.held.length === 0 && !inbox.more && !isNarrowed && actionId === undefined ? (
            <NothingWaits />
          ) : (
            <ApprovalsInbox
              actionId={actionId}
              inbox={inbox}
              narrowed={narrowed}
              polling={polling}
              online={online}
              onNarrow={narrow}
              onDecided={add}
              onLeft={leave}
            />
          )
        }
      </Reading>
    </Page>
  )
}

function NothingWaits() {
  return (
    <div className="rounded-xl border border-line bg-surface shadow-card">
      <Empty icon={Inbox} title="Nothing waits for you">
        When an agent asks for something above the policy’s threshold, it appears here by itself.
      </Empty>
    </div>
  )
}
