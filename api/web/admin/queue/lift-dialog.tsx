import { type FormEvent, useRef, useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { FreezeState } from '../../../../shared/contract/configuration/freeze-schema.ts'
import { useAct } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { useSay } from '../../ui/toast.tsx'
import { scopeText } from './stop-words.tsx'

const stale = ['read_freezes', 'read_queue', 'list_jobs'] as const
const liftForm = 'lift'

type Lifted = FreezeState['freezes'][number] | null

/** Ends a freeze or a pause. The person must give a reason. */
export function LiftDialog({
  tenantId,
  freeze,
  onClose,
}: {
  tenantId: string
  freeze: Lifted
  onClose(): void
}) {
  const last = useRef(freeze)
  if (freeze) last.current = freeze
  const shown = last.current
  const [reason, setReason] = useState('')
  const { act, lift, reset } = useLift(tenantId, shown)
  const close = (): void => {
    setReason('')
    reset()
    onClose()
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    lift(reason.trim(), close)
  }
  const word = shown?.effect === 'pause' ? 'Resume' : 'Unfreeze'
  return (
    <Dialog
      open={freeze !== null}
      onClose={close}
      dismissible={!act.isPending}
      title={`${word} ${shown ? scopeText(shown) : ''}?`}
      description="Jobs that were queued meanwhile run at once. Proposals that were denied stay denied."
      footer={
        <>
          <Button disabled={act.isPending} onClick={close}>
            Cancel
          </Button>
          <Button type="submit" form={liftForm} variant="primary" busy={act.isPending}>
            {word}
          </Button>
        </>
      }
    >
      <form id={liftForm} onSubmit={submit}>
        <Field label="Reason" hint="Required. The audit keeps it.">
          <TextArea
            required
            maxLength={limits.change_note_length_max}
            value={reason}
            onChange={event => setReason(event.currentTarget.value)}
          />
        </Field>
        {act.error && <ProblemNote error={act.error} className="mt-4" />}
      </form>
    </Dialog>
  )
}

function useLift(tenantId: string, lifted: Lifted) {
  const unfreeze = useAct('unfreeze', { stale })
  const resume = useAct('resume', { stale })
  const say = useSay()
  const lift = (reason: string, onDone: () => void): void => {
    if (!lifted) return
    const { system, operation, key_id, effect } = lifted
    const params = { tenant_id: tenantId }
    const done = {
      onSuccess: () => {
        say({ title: effect === 'pause' ? 'Resumed' : 'Unfrozen', detail: scopeText(lifted), tone: 'good' })
        onDone()
      },
    }
    if (effect === 'pause') resume.mutate({ params, body: { reason, system } }, done)
    else unfreeze.mutate({ params, body: { reason, system, operation, key_id } }, done)
  }
  const reset = (): void => {
    unfreeze.reset()
    resume.reset()
  }
  return { act: lifted?.effect === 'pause' ? resume : unfreeze, lift, reset }
}
