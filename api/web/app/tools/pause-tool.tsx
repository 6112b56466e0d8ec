import { useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { Confirm } from '../../panels/confirm.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'

/** Lets the jobs of a tool wait, or go on; decisions and approvals go on meanwhile. */
export function PauseTool({ tenantId, system }: { tenantId: string; system: string }) {
  const params = { tenant_id: tenantId }
  const state = useCall('read_owned_freezes', { params })
  const [asked, setAsked] = useState(false)
  const [reason, setReason] = useState('')
  const stale = ['read_owned_freezes'] as const
  const pause = useAct('pause_owned_tenant', { stale })
  const resume = useAct('resume_owned_tenant', { stale })
  const paused = state.data?.freezes.some(one => one.effect === 'pause' && one.system === system) ?? false
  const input = () => ({ params, body: { system, reason: reason === '' ? 'by its owner' : reason } })
  const close = (): void => {
    setAsked(false)
    setReason('')
  }
  const common = { open: asked, onClose: close, input }
  const why = (
    <Field label="Reason" hint="It is in the audit.">
      <TextInput
        value={reason}
        maxLength={limits.change_note_length_max}
        onChange={event => setReason(event.currentTarget.value)}
      />
    </Field>
  )
  return (
    <>
      <Button disabled={!state.data} onClick={() => setAsked(true)}>
        {paused ? 'Resume' : 'Pause'}
      </Button>
      {paused ? (
        <Confirm
          {...common}
          act={resume}
          title={`Resume ${system}?`}
          label="Resume it"
          done={`${system} is called again`}
        >
          <p className="mb-4">What was queued meanwhile is executed now.</p>
          {why}
        </Confirm>
      ) : (
        <Confirm
          {...common}
          act={pause}
          title={`Pause ${system}?`}
          label="Pause it"
          done={`${system} is paused`}
        >
          <p className="mb-4">
            Queued actions wait, and calls under way go on. Proposals are decided, and people approve, as
            before.
          </p>
          {why}
        </Confirm>
      )}
    </>
  )
}
