import { type ReactNode, useState } from 'react'
import type { Answered, CallInput } from '../../lib/call.ts'
import { kindOfKey } from '../../lib/policy/key-uses.ts'
import { MintKeyForm, mintKeyForm } from './mint-key-form.tsx'
import { OnceDialog } from './once-dialog.tsx'

export type IssuedKey = Answered<'mint_key'> | Answered<'mint_owned_key'>

type MintInput = CallInput<'mint_key'> & CallInput<'mint_owned_key'>

interface Mint<Issued> {
  isPending: boolean
  error: Error | null
  reset(): void
  mutate(input: MintInput, options: { onSuccess(issued: Issued): void }): void
}

export interface MintKeyDialogProps<Issued> {
  tenantId: string
  open: boolean
  onClose(): void
  title: string
  mint: Mint<Issued>
  /** Renders the issued key. Calling `stored` closes the dialog. */
  children(issued: Issued, stored: () => void): ReactNode
}

export function MintKeyDialog<Issued extends IssuedKey>({
  tenantId,
  open,
  onClose,
  title,
  mint,
  children,
}: MintKeyDialogProps<Issued>) {
  const [issued, setIssued] = useState<Issued | null>(null)
  const close = (): void => {
    mint.reset()
    setIssued(null)
    onClose()
  }
  return (
    <OnceDialog
      open={open}
      onClose={close}
      title={issued ? `Store the ${kindOfKey(issued.key.scope).toLowerCase()}` : title}
      description={issued ? undefined : 'The next step shows its secret, once.'}
      made={issued !== null}
      form={{ id: mintKeyForm, label: 'Make key', busy: mint.isPending }}
    >
      {issued ? (
        children(issued, close)
      ) : (
        <MintKeyForm
          error={mint.error}
          onSubmit={body => mint.mutate({ params: { tenant_id: tenantId }, body }, { onSuccess: setIssued })}
        />
      )}
    </OnceDialog>
  )
}
