import { useAct } from '../../lib/query.tsx'
import { RevokeKeyConfirm, type RevokeKeyConfirmProps } from '../../panels/keys/revoke-key-confirm.tsx'

export function RevokeTenantKey(props: Omit<RevokeKeyConfirmProps, 'act' | 'children'>) {
  const revoke = useAct('revoke_key', { stale: ['list_keys'] })
  return (
    <RevokeKeyConfirm {...props} act={revoke}>
      {() => (
        <>
          <li>Whoever uses it is refused from the next request on, by every process of the service.</li>
          <li>Proposals and decisions made with it stay. This cannot be undone.</li>
        </>
      )}
    </RevokeKeyConfirm>
  )
}
