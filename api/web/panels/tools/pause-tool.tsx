import { useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { Confirm } from '../confirm.tsx'
import { useToolPlace } from './tool-place.ts'

/** Lets the jobs of a tool wait, or go on; decisions and approvals go on meanwhile. */
export function PauseTool({ system }: { system: string }) {
  const { requests, params } = useToolPlace()
  const state = useCall(requests.freezes, { params })
  const [asked, setAsked] = useState(false)
  const [reason, setReason] = useState('')
  const stale = [requests.freezes]
  const pause = useAct(requests.pause, { stale })
  const resume = useAct(requests.resume, { stale })
  const paused = state.data?.freezes.some(one => one.effect === 'pause' && one.system === system) ?? false
  const input = () => ({ params, body: { system, reason: reason === '' ? 'on its page' : reason } })
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
