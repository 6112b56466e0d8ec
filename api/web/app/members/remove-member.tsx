import type { Member } from '../../../../shared/contract/member-schema.ts'
import { useAct } from '../../lib/query.tsx'
import { Confirm } from '../../panels/confirm.tsx'

export function RemoveMember({ member, onClose }: { member: Member | null; onClose(): void }) {
  const remove = useAct('remove_member', { stale: ['list_members', 'list_groups'] })
  return (
    <Confirm
      open={member !== null}
      onClose={onClose}
      act={remove}
      input={() => ({ params: { account_id: member?.account.account_id ?? '' } })}
      title={`Remove ${member?.account.email ?? ''}?`}
      label="Remove"
      done="The member is removed"
      danger
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>Every session ends now, and neither password nor sign-in opens the account again.</li>
        <li>Approver keys that they hold end, and they leave every group.</li>
        <li>Agent keys go on. Revoke those that they may have copied.</li>
        <li>What they did stays recorded. If you invite them again, they are another account.</li>
      </ul>
    </Confirm>
  )
}
