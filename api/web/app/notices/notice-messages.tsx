import { Link } from 'react-router'
import type { WebhookDelivery } from '../../../../shared/contract/webhook.ts'
import { useAct, usePages } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { ProblemNote, Reading } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { deliveryState, eventName } from './notice-words.ts'

export function NoticeMessages({ tenantId, webhookId }: { tenantId: string; webhookId: string }) {
  const params = { tenant_id: tenantId, webhook_id: webhookId }
  const pages = usePages('list_owned_deliveries', { params, query: { limit: '10' } })
  const again = useAct('redeliver_owned', { stale: ['list_owned_deliveries'] })
  const may = useMay()
  const messages = pages.data?.pages.flatMap(page => page.deliveries)
  return (
    <>
      <Reading query={{ data: messages, error: pages.error, refetch: pages.refetch }} rows={2}>
        {known =>
          known.length === 0 ? (
            <p className="text-sm text-soft">Nothing was sent in the last 30 days.</p>
          ) : (
            <ul className="flex flex-col divide-y divide-line">
              {known.map(message => (
                <Message
                  key={message.delivery_id}
                  message={message}
                  tenantId={tenantId}
                  onAgain={
                    may('redeliver_owned') && message.state === 'failed'
                      ? () => again.mutate({ params: { ...params, delivery_id: message.delivery_id } })
                      : null
                  }
                />
              ))}
            </ul>
          )
        }
      </Reading>
      {again.error && <ProblemNote error={again.error} />}
      <LoadMore pages={pages} what="messages" />
    </>
  )
}

function Message({
  message,
  tenantId,
  onAgain,
}: {
  message: WebhookDelivery
  tenantId: string
  onAgain: (() => void) | null
}) {
  const { type, action_id, created_at, next_attempt_at, last_error, last_status } = message
  const { label, tone } = deliveryState(message)
  return (
    <li className="flex flex-wrap items-center justify-between gap-2 py-2 text-sm">
      <span className="min-w-0">
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone={tone}>{label}</Badge>
          <Link className="underline" to={`/a/${tenantId}/history/${action_id}`}>
            {eventName(type)}
          </Link>
          <span className="text-soft">
            <Time at={next_attempt_at ?? created_at} />
          </span>
        </span>
        {message.state !== 'delivered' && last_error !== null && (
          <span className="block break-words text-soft">
            <ForeignText text={last_error} />
          </span>
        )}
        {message.state !== 'delivered' && last_error === null && last_status !== null && (
          <span className="block text-soft">It answered {last_status}.</span>
        )}
      </span>
      {onAgain && (
        <Button size="small" onClick={onAgain}>
          Send again
        </Button>
      )}
    </li>
  )
}
