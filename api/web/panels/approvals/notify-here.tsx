import { useEffect, useState } from 'react'
import type { PushState } from '../../../../shared/contract/push-schema.ts'
import { canNotify, endpointHere, subscribeHere } from '../../lib/push.ts'
import { useAct, useCall, useWork } from '../../lib/query.tsx'
import { Bell } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { useSay } from '../../ui/toast.tsx'
import { type Desk, useDesk } from './desk.ts'

type Push = NonNullable<Desk['push']>

export function NotifyHere({ push }: { push: Push }) {
  const { params } = useDesk()
  const isKnown = !('tenant_id' in params) || params.tenant_id !== ''
  const state = useCall(push.read, { params } as never, { enabled: canNotify() && isKnown })
  const { data } = state as { data: PushState | undefined }
  const here = useEndpointHere(data)
  if (data?.application_server_key === null)
    return <p className="text-sm text-soft">This service sends no notices to browsers.</p>
  if (!data || here === undefined) return null
  const own = data.subscriptions.find(({ endpoint }) => endpoint === here)
  return own ? (
    <Stop push={push} subscriptionId={own.subscription_id} />
  ) : (
    <Start push={push} serverKey={data.application_server_key} />
  )
}

/**
 * Returns this browser's push endpoint, or undefined until it is known. Asks again after each new state from the
 * service.
 */
function useEndpointHere(state: PushState | undefined): string | null | undefined {
  const [here, setHere] = useState<string | null>()
  useEffect(() => {
    if (!state) return
    let isLeft = false
    void endpointHere().then(endpoint => {
      if (!isLeft) setHere(endpoint)
    })
    return () => {
      isLeft = true
    }
  }, [state])
  return here
}

function Start({ push, serverKey }: { push: Push; serverKey: string }) {
  const { params } = useDesk()
  const say = useSay()
  const subscribe = useAct(push.subscribe, { stale: [push.read] })
  const start = useWork(async () => {
    const body = await subscribeHere(serverKey)
    if (body) await subscribe.mutateAsync({ params, body } as never)
    return body !== null
  })
  const begin = (): void =>
    start.mutate(undefined, {
      onSuccess: isAllowed =>
        isAllowed
          ? say({
              title: 'This browser notifies you',
              detail:
                'A click on a notice opens the action. What still waits after half an hour is shown once more.',
              tone: 'good',
            })
          : say({
              title: 'This browser refuses',
              detail: 'Allow notifications of this site in its settings.',
              tone: 'bad',
            }),
      onError: error => say({ title: 'This browser cannot notify you', detail: error.message, tone: 'bad' }),
    })
  return (
    <Button size="small" busy={start.isPending} onClick={begin}>
      <Bell className="size-4" aria-hidden /> Notify me in this browser
    </Button>
  )
}

function Stop({ push, subscriptionId }: { push: Push; subscriptionId: string }) {
  const { params } = useDesk()
  const say = useSay()
  const stop = useAct(push.unsubscribe, { stale: [push.read] })
  const end = (): void =>
    stop.mutate({ params: { ...params, subscription_id: subscriptionId } } as never, {
      onSuccess: () => say({ title: 'This browser notifies you no more', tone: 'good' }),
      onError: error => say({ title: 'It could not be ended', detail: error.message, tone: 'bad' }),
    })
  return (
    <Button size="small" busy={stop.isPending} onClick={end}>
      <Bell className="size-4" aria-hidden /> Stop notices in this browser
    </Button>
  )
}
