import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'

const noteMax = 2_000

export function SaveDialog({
  open,
  onClose,
  title,
  changes,
  busy,
  error,
  onSave,
}: {
  open: boolean
  onClose(): void
  title: string
  changes: ReactNode
  busy: boolean
  error: Error | null
  onSave(note: string): Promise<void>
}) {
  const [note, setNote] = useState('')
  return (
    <Dialog
      open={open}
      onClose={onClose}
      dismissible={!busy}
      title={title}
      wide
      description="It governs every proposal from then on. What was decided before stays as it was."
      footer={
        <>
          <Button disabled={busy} onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" busy={busy} onClick={() => void onSave(note)}>
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {changes}
        <Field label="Why (optional)" hint="Kept with the revision, for whoever looks at it later.">
          <TextArea value={note} maxLength={noteMax} onChange={event => setNote(event.currentTarget.value)} />
        </Field>
        {error && <ProblemNote error={error} />}
      </div>
    </Dialog>
  )
}
