import { useState } from 'react'
import type { EditResponse } from '../../../../shared/contract/action/decision-schema.ts'
import type { JsonValue } from '../../../../shared/contract/base/json.ts'
import { ProblemError } from '../../lib/call.ts'
import { draftText, readDraft } from '../../lib/policy/read-draft.ts'
import { useAct } from '../../lib/query.tsx'
import { prettyLines } from '../../lib/trace/pretty-json.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { TextDiff } from '../diff/text-diff.tsx'
import { JsonEditor } from '../json/json-editor.tsx'
import { useDesk } from './desk.ts'
import type { HeldView } from './held-detail.tsx'

export interface EditDialogProps {
  view: HeldView
  open: boolean
  onClose(): void
  onEdited(response: EditResponse): void
}

/**
 * Changes the parameters of a held action. The gate decides the new action, and the editor gives its first
 * approval.
 */
export function EditDialog({ view, open, onClose, onEdited }: EditDialogProps) {
  const { requests, params } = useDesk()
  const { action } = view.proposal
  const [text, setText] = useState(() => draftText(action.parameters))
  const act = useAct(requests.edit, {
    stale: [requests.list, requests.groups, requests.read, 'list_owned_actions'],
  })
  const draft = readDraft(text)
  const isSame = draft.ok && JSON.stringify(draft.value) === JSON.stringify(action.parameters)
  const edit = (): void => {
    if (!draft.ok || isSame || act.isPending) return
    const edited = act.mutateAsync({
      params: { ...params, action_id: view.action_id },
      body: { parameters: draft.value, proposal_hash: view.verdict.proposal_hash },
      headers: { prefer: 'wait=1' },
    })
    edited.then(onEdited, () => undefined)
  }
  return (
    <Dialog
      open={open}
      onClose={() => !act.isPending && onClose()}
      dismissible={!act.isPending}
      wide
      title="Edit and approve"
      description={`Change the parameters of ${action.operation} on ${action.target_system}. The policy decides them again. Your approval counts for what you see here.`}
      footer={
        <>
          <Button onClick={onClose} disabled={act.isPending}>
            Cancel
          </Button>
          <Button variant="primary" busy={act.isPending} disabled={!draft.ok || isSame} onClick={edit}>
            Approve as edited
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <JsonEditor
          label="Parameters"
          value={text}
          onChange={setText}
          issues={draft.ok ? deniedBy(act.error) : [draft.issue]}
          lines={14}
          onSend={edit}
        />
        {draft.ok && !isSame && (
          <section aria-label="What you change" className="flex flex-col gap-2">
            <h3 className="text-sm font-semibold">What you change</h3>
            <TextDiff before={shown(action.parameters)} after={shown(draft.value)} labels={labels} />
          </section>
        )}
        {act.error && deniedBy(act.error).length === 0 && <ProblemNote error={act.error} />}
      </div>
    </Dialog>
  )
}

const labels = ['As proposed', 'As you edit it'] as const

function shown(parameters: JsonValue): string {
  return prettyLines(parameters).join('\n')
}

/** Returns the gate's reasons for denying the edit. The dialog shows them below the parameters. */
function deniedBy(error: Error | null) {
  return error instanceof ProblemError && error.problem.code === 'edit_denied'
    ? (error.problem.errors ?? [])
    : []
}
