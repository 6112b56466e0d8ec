import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

export interface OnceDialogProps {
  open: boolean
  onClose(): void
  title: string
  description?: string | undefined
  /** Whether the secret is shown. From then on only `I have stored it` leaves. */
  made: boolean
  /** The form that makes it: its id, and what its button says. */
  form: { id: string; label: string; busy: boolean }
  /** The form, then the secret. */
  children: ReactNode
}

/** A dialog that makes something with a secret and shows the secret this once; it stays until it is stored. */
export function OnceDialog({ open, onClose, title, description, made, form, children }: OnceDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      wide
      dismissible={!made && !form.busy}
      title={title}
      description={description}
      footer={
        made ? null : (
          <>
            <Button disabled={form.busy} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" form={form.id} variant="primary" busy={form.busy}>
              {form.label}
            </Button>
          </>
        )
      }
    >
      {children}
    </Dialog>
  )
}
