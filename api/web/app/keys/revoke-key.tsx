import type { KeyScope } from '../../../../shared/contract/role-schema.ts'
import { useAct } from '../../lib/query.tsx'
import { RevokeKeyConfirm, type RevokeKeyConfirmProps } from '../../panels/keys/revoke-key-confirm.tsx'

export function RevokeKey(props: Omit<RevokeKeyConfirmProps, 'act' | 'children'>) {
  const revoke = useAct('revoke_owned_key', { stale: ['list_owned_keys'] })
  return (
    <RevokeKeyConfirm {...props} act={revoke}>
      {({ scope }) => (
        <>
          {stopsOf(scope).map(stop => (
            <li key={stop}>{stop}</li>
          ))}
          <li>This cannot be undone. Make another key when you need one.</li>
        </>
      )}
    </RevokeKeyConfirm>
  )
}

const agentStops = [
  'Every agent that uses it is refused from its next request on: it can propose nothing and follow nothing.',
  'Its proposals go on as decided: queued actions run, and held ones still wait for people.',
]

const roleStops = [
  'Whatever uses it is refused from its next request on.',
  'What was changed with it stays as it is.',
]

const approverStops = [
  'Whoever decides with it is refused from the next request on.',
  'Decisions made with it stay. You can still decide here, and other approver keys go on working.',
]

function stopsOf(scope: KeyScope): readonly string[] {
  if (scope === 'agent') return agentStops
  return scope === 'approver' ? approverStops : roleStops
}
