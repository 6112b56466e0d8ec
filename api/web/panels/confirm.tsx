import { type ReactNode, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ProblemNote } from '../ui/state.tsx'
import { useSay } from '../ui/toast.tsx'

interface Act<Input> {
  isPending: boolean
  error: Error | null
  reset(): void
  mutate(input: Input, options: { onSuccess(): void }): void
}

export interface ConfirmProps<Input> {
  open: boolean
  onClose(): void
  act: Act<Input>
  input(): Input
  title: string
  label: string
  keep?: string
  done: string
  detail?: string
  danger?: boolean
  onDone?: () => void
  children: ReactNode
}

export function Confirm<Input>({
  open,
  onClose,
  act,
  input,
  title,
  label,
  keep = 'Cancel',
  done,
  detail,
  danger = false,
  onDone,
  children,
}: ConfirmProps<Input>) {
  const cancel = useRef<HTMLButtonElement>(null)
  const say = useSay()
  const close = (): void => {
    act.reset()
    onClose()
  }
  const confirm = (): void =>
    act.mutate(input(), {
      onSuccess: () => {
        say({ title: done, tone: 'good', ...(detail === undefined ? {} : { detail }) })
        close()
        onDone?.()
      },
    })
  return (
    <Dialog
      open={open}
      onClose={close}
      dismissible={!act.isPending}
      initialFocus={cancel}
      title={title}
      footer={
        <>
          <Button ref={cancel} disabled={act.isPending} onClick={close}>
            {keep}
          </Button>
          <Button variant={danger ? 'danger' : 'primary'} busy={act.isPending} onClick={confirm}>
            {label}
          </Button>
        </>
      }
    >
      {children}
      {act.error && <ProblemNote error={act.error} className="mt-4" />}
    </Dialog>
  )
}
