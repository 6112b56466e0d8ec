import { useState } from 'react'
import type { BoundedGrant } from '../../../../shared/contract/configuration/grant-schema.ts'
import { useAct } from '../../lib/query.tsx'
import { Confirm } from '../../panels/confirm.tsx'
import { Field, TextInput } from '../../ui/field.tsx'

export function RevokeGrant({
  tenantId,
  grant,
  onClose,
}: {
  tenantId: string
  grant: BoundedGrant | null
  onClose(): void
}) {
  const [reason, setReason] = useState('')
  const revoke = useAct('revoke_owned_grant', { stale: ['list_owned_grants'] })
  return (
    <Confirm
      open={grant !== null}
      onClose={onClose}
      act={revoke}
      input={() => ({
        params: { tenant_id: tenantId, grant_id: grant?.grant_id ?? '' },
        body: { reason },
      })}
      title="Revoke this grant?"
      label="Revoke grant"
      keep="Keep it"
      done="The grant is revoked"
      onDone={() => setReason('')}
      danger
    >
      <ul className="mb-4 list-disc space-y-1 pl-5 text-sm">
        <li>From now on people decide what it would have allowed.</li>
        <li>What it allowed before goes on.</li>
      </ul>
      <Field label="Why" hint="It stays in the audit.">
        <TextInput value={reason} onChange={event => setReason(event.currentTarget.value)} />
      </Field>
    </Confirm>
  )
}
