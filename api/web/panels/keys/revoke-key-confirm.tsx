import { type ReactNode, useRef } from 'react'
import type { ApiKey } from '../../../../shared/contract/configuration/tenant.ts'
import type { CallInput } from '../../lib/call.ts'
import { ForeignText } from '../../ui/text.tsx'
import { Confirm, type ConfirmProps } from '../confirm.tsx'

export interface RevokeKeyConfirmProps {
  tenantId: string
  revoking: ApiKey | null
  onClose(): void
  act: ConfirmProps<CallInput<'revoke_key'> & CallInput<'revoke_owned_key'>>['act']
  children(key: ApiKey): ReactNode
}

export function RevokeKeyConfirm({ tenantId, revoking, onClose, act, children }: RevokeKeyConfirmProps) {
  const last = useRef(revoking)
  if (revoking) last.current = revoking
  const shown = last.current
  return (
    <Confirm
      open={revoking !== null}
      onClose={onClose}
      act={act}
      input={() => ({ params: { tenant_id: tenantId, key_id: shown?.key_id ?? '' } })}
      title="Revoke this key?"
      label="Revoke key"
      keep="Keep it"
      done="The key is revoked"
      detail="The next request with it is refused."
      danger
    >
      {shown && (
        <>
          <p className="rounded-lg bg-sunken px-4 py-3">
            <span className="block font-medium">
              <ForeignText text={shown.name} />
            </span>
            <code className="font-mono text-[0.8125rem] break-all text-soft">{shown.key_id}</code>
          </p>
          <ul className="mt-4 flex list-disc flex-col gap-2 pl-5 text-sm">{children(shown)}</ul>
        </>
      )}
    </Confirm>
  )
}
