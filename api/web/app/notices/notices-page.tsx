import { useState } from 'react'
import { useParams } from 'react-router'
import type { Webhook } from '../../../../shared/contract/webhook.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { Confirm } from '../../panels/confirm.tsx'
import { Bell, Plus } from '../../pictures/icons.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { NoticeForm } from './notice-form.tsx'
import { NoticeMessages } from './notice-messages.tsx'
import { eventName, formatWords, minutesText, placeOf, stateOf } from './notice-words.ts'

export function NoticesPage() {
  const { tenantId = '' } = useParams()
  const webhooks = useCall('list_owned_webhooks', { params: { tenant_id: tenantId } })
  return (
    <Page
      title="Notices"
      lead="A notice says that something happened, and has a link to it. It never has the parameters of an action, and opening its link decides nothing."
    >
      <Reading query={webhooks} rows={3}>
        {({ webhooks: known }) => <Notices tenantId={tenantId} notices={known} />}
      </Reading>
    </Page>
  )
}

function Notices({ tenantId, notices }: { tenantId: string; notices: readonly Webhook[] }) {
  const may = useMay()
  const [edited, setEdited] = useState<Webhook | 'new' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const [removing, setRemoving] = useState<Webhook | null>(null)
  const done = (made: string | null): void => {
    setEdited(null)
    setSecret(made)
  }
  return (
    <Card
      title="Notices"
      actions={
        may('create_owned_webhook') && (
          <Button size="small" onClick={() => setEdited('new')}>
            <Plus className="size-4" aria-hidden /> New notice
          </Button>
        )
      }
    >
      {secret !== null && (
        <SecretOnce
          secret={secret}
          what="Signing secret"
          called="secret"
          lost="If it is lost, delete the notice and make another."
          onStored={() => setSecret(null)}
        >
          The program verifies messages with it, as the Standard Webhooks specification says.
        </SecretOnce>
      )}
      {edited === 'new' && <NoticeForm tenantId={tenantId} notice={null} onDone={done} />}
      {notices.length === 0 && edited === null && (
        <Empty icon={Bell} title="No notices">
          People see what waits when they open the approvals.
        </Empty>
      )}
      <ul className="flex flex-col divide-y divide-line">
        {notices.map(notice =>
          notice === edited ? (
            <li key={notice.webhook_id}>
              <NoticeForm tenantId={tenantId} notice={notice} onDone={done} />
            </li>
          ) : (
            <NoticeRow
              key={notice.webhook_id}
              notice={notice}
              onEdit={() => setEdited(notice)}
              onRemove={() => setRemoving(notice)}
            />
          ),
        )}
      </ul>
      <Removal tenantId={tenantId} notice={removing} onClose={() => setRemoving(null)} />
    </Card>
  )
}

function Removal({
  tenantId,
  notice,
  onClose,
}: {
  tenantId: string
  notice: Webhook | null
  onClose(): void
}) {
  const remove = useAct('delete_owned_webhook', { stale: ['list_owned_webhooks'] })
  return (
    <Confirm
      open={notice !== null}
      onClose={onClose}
      act={remove}
      input={() => ({ params: { tenant_id: tenantId, webhook_id: notice?.webhook_id ?? '' } })}
      title="Delete this notice?"
      label="Delete notice"
      keep="Keep it"
      done="The notice is deleted"
      danger
    >
      <p className="text-sm">
        Nothing more is sent to <ForeignText text={notice ? placeOf(notice) : ''} />. Its list of messages
        goes with it.
      </p>
    </Confirm>
  )
}

function NoticeRow({ notice, onEdit, onRemove }: { notice: Webhook; onEdit(): void; onRemove(): void }) {
  const may = useMay()
  const { tenant_id, webhook_id, format, event_types, remind_after_ms, description } = notice
  const { label, tone } = stateOf(notice)
  const place = placeOf(notice)
  return (
    <li className="flex flex-col gap-2 py-3">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <span className="min-w-0">
          <span className="flex flex-wrap items-center gap-2 font-semibold break-all">
            <ForeignText text={place} />
            <Badge tone={tone}>{label}</Badge>
          </span>
          <span className="block text-sm">{formatWords[format]}</span>
          <span className="block text-sm text-soft">{event_types.map(eventName).join('; ')}</span>
          {remind_after_ms.length > 0 && (
            <span className="block text-sm text-soft">
              Reminds after {minutesText(remind_after_ms)} minutes
            </span>
          )}
          {description !== null && (
            <span className="block text-sm break-words text-soft">
              <ForeignText text={description} />
            </span>
          )}
        </span>
        {may('replace_owned_webhook') && (
          <span className="flex gap-2">
            {!event_types.includes('action.callback') && (
              <Button size="small" onClick={onEdit} aria-label={`Change ${place}`}>
                Change
              </Button>
            )}
            <Button size="small" variant="danger" onClick={onRemove} aria-label={`Delete ${place}`}>
              Delete…
            </Button>
          </span>
        )}
      </div>
      <Disclosure
        label={
          <>
            Last messages<span className="sr-only"> to {place}</span>
          </>
        }
      >
        <NoticeMessages tenantId={tenant_id} webhookId={webhook_id} />
      </Disclosure>
    </li>
  )
}
