import { type FormEvent, useRef, useState } from 'react'
import type { FreezeEffect, FreezeSelector } from '../../../../shared/contract/configuration/freeze-schema.ts'
import { useAct } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { useSay } from '../../ui/toast.tsx'
import { type StopDraft, StopForm, stopForm } from './stop-form.tsx'
import { scopeText } from './stop-words.tsx'

const stale = ['read_freezes', 'read_queue', 'list_jobs'] as const
const empty: StopDraft = { system: '', operation: '', key_id: '', reason: '' }

/** Freezes or pauses jobs. The confirmation names the affected jobs and the effect. */
export function StopDialog({
  tenantId,
  effect,
  onClose,
}: {
  tenantId: string
  effect: FreezeEffect | null
  onClose(): void
}) {
  const last = useRef<FreezeEffect>('freeze')
  if (effect) last.current = effect
  const shown = last.current
  const [draft, setDraft] = useState(empty)
  const [asked, setAsked] = useState(false)
  const { act, stop, reset } = useStop(tenantId, shown)
  const close = (): void => {
    setAsked(false)
    setDraft(empty)
    reset()
    onClose()
  }
  const selector = selectorOf(draft, shown)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setAsked(true)
  }
  return (
    <Dialog
      open={effect !== null}
      onClose={close}
      dismissible={!act.isPending}
      wide
      title={asked ? titles[shown].ask : titles[shown].form}
      footer={
        asked ? (
          <>
            <Button disabled={act.isPending} onClick={() => setAsked(false)}>
              Back
            </Button>
            <Button
              variant={shown === 'freeze' ? 'danger' : 'primary'}
              busy={act.isPending}
              onClick={() => stop({ selector, reason: draft.reason.trim() }, close)}
            >
              {titles[shown].form}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" form={stopForm} variant="primary">
              Continue
            </Button>
          </>
        )
      }
    >
      {asked ? (
        <Consequences tenantId={tenantId} effect={shown} selector={selector} reason={draft.reason.trim()} />
      ) : (
        <StopForm tenantId={tenantId} effect={shown} draft={draft} onChange={setDraft} onSubmit={submit} />
      )}
      {act.error && <ProblemNote error={act.error} className="mt-4" />}
    </Dialog>
  )
}

interface Stop {
  selector: FreezeSelector
  reason: string
}

function useStop(tenantId: string, effect: FreezeEffect) {
  const freeze = useAct('freeze', { stale })
  const pause = useAct('pause', { stale })
  const say = useSay()
  const params = { tenant_id: tenantId }
  const stop = ({ selector, reason }: Stop, onDone: () => void): void => {
    const options = {
      onSuccess: () => {
        say({ title: effect === 'freeze' ? 'Frozen' : 'Paused', detail: scopeText(selector), tone: 'good' })
        onDone()
      },
    }
    if (effect === 'freeze') freeze.mutate({ params, body: { reason, ...selector } }, options)
    else pause.mutate({ params, body: { reason, system: selector.system } }, options)
  }
  const reset = (): void => {
    freeze.reset()
    pause.reset()
  }
  return { act: effect === 'freeze' ? freeze : pause, stop, reset }
}

const titles = {
  freeze: { form: 'Freeze', ask: 'Freeze this?' },
  pause: { form: 'Pause', ask: 'Pause this?' },
} as const

const consequences: Readonly<Record<FreezeEffect, readonly string[]>> = {
  freeze: [
    'New proposals that match are denied at once, with the code "frozen".',
    'Held actions that match cannot be approved; rejecting goes on.',
    'Queued jobs that match stay queued, and run once you unfreeze.',
    'Calls that are already under way are not cut off.',
  ],
  pause: [
    'Queued jobs that match wait, and run once you resume.',
    'Proposals are decided and held actions approved as before.',
    'Calls that are already under way are not cut off.',
  ],
}

function Consequences({
  tenantId,
  effect,
  selector,
  reason,
}: {
  tenantId: string
  effect: FreezeEffect
  selector: FreezeSelector
  reason: string
}) {
  return (
    <>
      <p>
        It is about <strong className="font-semibold break-words">{scopeText(selector)}</strong> of{' '}
        <strong className="font-semibold break-words">{tenantId}</strong>.
      </p>
      <ul className="my-4 flex list-disc flex-col gap-1.5 pl-5">
        {consequences[effect].map(text => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <p className="text-sm break-words text-soft">The audit will say why: {reason}</p>
    </>
  )
}

function selectorOf({ system, operation, key_id }: StopDraft, effect: FreezeEffect): FreezeSelector {
  const given = (text: string): string | null => (text.trim() === '' ? null : text.trim())
  if (effect === 'pause') return { system: given(system), operation: null, key_id: null }
  return { system: given(system), operation: given(operation), key_id: given(key_id) }
}
