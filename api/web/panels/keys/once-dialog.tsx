import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

export interface OnceDialogProps {
  open: boolean
  onClose(): void
  title: string
  description?: string | undefined
  /**
   * True while the secret is shown. Only `I have stored it` then closes the dialog, so that the secret is not
   * lost.
   */
  made: boolean
  form: { id: string; label: string; busy: boolean }
  children: ReactNode
}

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
