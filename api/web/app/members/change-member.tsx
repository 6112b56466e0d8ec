import { type FormEvent, useId, useState } from 'react'
import type { OwnedTenant } from '../../../../shared/contract/account.ts'
import type { Member } from '../../../../shared/contract/member-schema.ts'
import type { Grants } from '../../../../shared/contract/role-schema.ts'
import { useAct } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { useSay } from '../../ui/toast.tsx'
import { GrantsFields } from './grants-fields.tsx'

/** Replaces all roles of a member with one request. */
export function ChangeMember({
  member,
  tenants,
  onClose,
}: {
  member: Member
  tenants: readonly OwnedTenant[]
  onClose(): void
}) {
  const { account_id, email } = member.account
  const form = useId()
  const [grants, setGrants] = useState<Grants>({ owner: member.owner, roles: member.roles })
  const change = useAct('change_member', { stale: ['list_members', 'read_session'] })
  const say = useSay()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    change.mutate(
      { params: { account_id }, body: grants },
      {
        onSuccess: () => {
          say({ title: 'The roles are changed', tone: 'good' })
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      open
      onClose={onClose}
      dismissible={!change.isPending}
      title={
        <>
          Roles of <ForeignText text={email} />
        </>
      }
      description="Whoever loses a role is signed out at once."
      footer={
        <>
          <Button disabled={change.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} variant="primary" busy={change.isPending}>
            Save roles
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <GrantsFields value={grants} tenants={tenants} onChange={setGrants} />
        {change.error && <ProblemNote error={change.error} />}
      </form>
    </Dialog>
  )
}
