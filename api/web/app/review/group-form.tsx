import { type FormEvent, useState } from 'react'
import type { Group, GroupMemberRequest } from '../../../../shared/contract/configuration/route-schema.ts'
import type { Member } from '../../../../shared/contract/member-schema.ts'
import { useAct, useCall, usePages } from '../../lib/query.tsx'
import { roleWords } from '../../lib/session/roles.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { NameField } from './name-field.tsx'

interface Candidate {
  id: string
  name: string
  kind: string
  member: GroupMemberRequest
}

export function GroupForm({
  tenantId,
  group,
  onDone,
}: {
  tenantId: string
  group: Group | null
  onDone(): void
}) {
  const [name, setName] = useState(group?.name ?? '')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    new Set(group?.members.map(({ key_id, account_id }) => key_id ?? account_id ?? '')),
  )
  const candidates = useCandidates(tenantId, group)
  const put = useAct('put_owned_review_group', { stale: ['list_owned_review_groups', 'list_owned_routes'] })
  const save = (event: FormEvent): void => {
    event.preventDefault()
    const members = candidates.filter(({ id }) => chosen.has(id)).map(({ member }) => member)
    put.mutate({ params: { tenant_id: tenantId, name }, body: { members } }, { onSuccess: onDone })
  }
  return (
    <form onSubmit={save} className="mt-4 flex flex-col gap-4 border-t border-line pt-4">
      <NameField label="Name of the group" value={name} fixed={group !== null} onChange={setName} />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">People</legend>
        {candidates.map(({ id, name: who, kind }) => (
          <label key={id} className="flex min-h-6 items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4"
              checked={chosen.has(id)}
              onChange={() => setChosen(toggled(chosen, id))}
            />
            <span className="min-w-0 break-words">
              {who} <span className="text-soft">({kind})</span>
            </span>
          </label>
        ))}
      </fieldset>
      {put.error && <ProblemNote error={put.error} />}
      <span className="flex gap-2">
        <Button type="submit" variant="primary" busy={put.isPending}>
          Save group
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </span>
    </form>
  )
}

/**
 * Returns the people and keys that can be in the group. Current members that no list contains are added, so that
 * saving does not remove them.
 */
function useCandidates(tenantId: string, group: Group | null): Candidate[] {
  const members = useCall('list_members')
  const keys = usePages('list_owned_keys', { params: { tenant_id: tenantId }, query: { limit: '200' } })
  const shown: Candidate[] = [
    ...(members.data?.members ?? []).map(member => candidateOf(member, tenantId)),
    ...(keys.data?.pages ?? [])
      .flatMap(page => page.api_keys)
      .filter(({ scope, revoked }) => scope === 'approver' && !revoked)
      .map(({ key_id, name }) => ({ id: key_id, name, kind: `approver key ${key_id}`, member: { key_id } })),
  ]
  const others = (group?.members ?? []).flatMap(({ key_id, account_id, name }) => {
    const id = key_id ?? account_id ?? ''
    if (shown.some(one => one.id === id)) return []
    const member = key_id === null ? { account_id: id } : { key_id }
    return [{ id, name, kind: key_id === null ? 'account' : 'key', member }]
  })
  return [...shown, ...others]
}

/**
 * Shows each person's role in this application, because a member without the right to approve is useless in a
 * group.
 */
function candidateOf({ account, owner, roles }: Member, tenantId: string): Candidate {
  const own = roles.flatMap(({ tenant_id, role }) => (tenant_id === tenantId ? [roleWords[role].label] : []))
  const may = owner ? roleWords.owner.label : own.join(', ') || 'no role here'
  const { account_id, email } = account
  return { id: account_id, name: email, kind: `${may}, ${account_id}`, member: { account_id } }
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen)
  if (!next.delete(id)) next.add(id)
  return next
}
