import type { ApiKey } from '../../../../shared/contract/configuration/tenant.ts'
import { useAct } from '../../lib/query.tsx'
import { Confirm } from '../../panels/confirm.tsx'
import { ForeignText } from '../../ui/text.tsx'

/**
 * Revokes an admin key. The request says `allow_last: false`, so that the last working key without an expiry is
 * kept.
 */
export function RevokeAdminKey({ revoking, onClose }: { revoking: ApiKey | null; onClose(): void }) {
  const revoke = useAct('revoke_admin_key', { stale: ['list_admin_keys'] })
  return (
    <Confirm
      open={revoking !== null}
      onClose={onClose}
      act={revoke}
      input={() => ({ params: { key_id: revoking?.key_id ?? '' }, body: { allow_last: false } })}
      title="Revoke this key?"
      label="Revoke key"
      keep="Keep it"
      done="The key is revoked"
      detail="The next request with it is refused."
      danger
    >
      {revoking && (
        <p className="rounded-lg bg-sunken px-4 py-3">
          <span className="block font-medium">
            <ForeignText text={revoking.name} />
          </span>
          <code className="font-mono text-[0.8125rem] break-all text-soft">{revoking.key_id}</code>
        </p>
      )}
      <p className="mt-4 text-sm">
        Whoever uses it is refused from the next request on. If it is the key of this console, the console
        locks. The last key that works and does not expire is kept.
      </p>
    </Confirm>
  )
}
