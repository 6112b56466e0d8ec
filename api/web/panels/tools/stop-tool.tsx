import { useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { FreezeEffect } from '../../../../shared/contract/configuration/freeze-schema.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { Confirm } from '../confirm.tsx'
import { useToolPlace } from './tool-place.ts'

interface Wording {
  request: 'pause' | 'resume' | 'freeze' | 'unfreeze'
  verb: string
  done: string
  consequence: string
}

const wordings: Record<FreezeEffect, { stop: Wording; lift: Wording }> = {
  pause: {
    stop: {
      request: 'pause',
      verb: 'Pause',
      done: 'is paused',
      consequence:
        'Queued actions wait, and calls under way go on. Proposals are decided, and people approve, as before.',
    },
    lift: {
      request: 'resume',
      verb: 'Resume',
      done: 'is called again',
      consequence: 'What was queued meanwhile is executed now.',
    },
  },
  freeze: {
    stop: {
      request: 'freeze',
      verb: 'Freeze',
      done: 'is frozen',
      consequence:
        'New proposals for it are denied, and nobody can approve held ones. Queued actions wait, and calls under way go on.',
    },
    lift: {
      request: 'unfreeze',
      verb: 'Unfreeze',
      done: 'takes proposals again',
      consequence: 'Proposals are decided as before. What was queued is executed now.',
    },
  },
}

/** Stops or resumes a tool. `pause` stops only its jobs; `freeze` also stops its decisions and approvals. */
export function StopTool({ system, effect }: { system: string; effect: FreezeEffect }) {
  const { requests, params } = useToolPlace()
  const state = useCall(requests.freezes, { params })
  const [asked, setAsked] = useState(false)
  const [reason, setReason] = useState('')
  const stopped =
    state.data?.freezes.some(
      one => one.effect === effect && one.system === system && one.operation === null && one.key_id === null,
    ) ?? false
  const turn = stopped ? 'lift' : 'stop'
  const wording = wordings[effect][turn]
  const act = useAct(requests[wording.request], { stale: [requests.freezes] })
  const close = (): void => {
    setAsked(false)
    setReason('')
  }
  return (
    <>
      <Button disabled={!state.data} onClick={() => setAsked(true)}>
        {wording.verb}
      </Button>
      <Confirm
        open={asked}
        onClose={close}
        act={act}
        input={() => ({ params, body: { system, reason: reason === '' ? 'on its page' : reason } })}
        title={`${wording.verb} ${system}?`}
        label={`${wording.verb} it`}
        done={`${system} ${wording.done}`}
      >
        <p className="mb-4">{wording.consequence}</p>
        <Field label="Reason" hint="It is in the audit.">
          <TextInput
            value={reason}
            maxLength={limits.change_note_length_max}
            onChange={event => setReason(event.currentTarget.value)}
          />
        </Field>
      </Confirm>
    </>
  )
}
