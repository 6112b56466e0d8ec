import { type FormEvent, useState } from 'react'
import type { Member, OrganizationGroup } from '../../../../shared/contract/member-schema.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { Confirm } from '../../panels/confirm.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Choice, Field, TextInput } from '../../ui/field.tsx'
import { ProblemNote, Reading } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'

export function GroupsCard({ members }: { members: readonly Member[] }) {
  const query = useCall('list_groups')
  const remove = useAct('remove_group', { stale: ['list_groups'] })
  const [removing, setRemoving] = useState<string | null>(null)
  return (
    <Card
      title="Groups"
      hint="Routes of every application may ask for a group. An issuer’s claim puts people in, and takes them out at a later sign-in."
    >
      <NewGroup />
      <Reading query={{ ...query, data: query.data?.groups }} rows={2}>
        {groups => (
          <ul className="mt-5 flex flex-col divide-y divide-line">
            {groups.map(group => (
              <Group key={group.name} group={group} members={members} onRemove={setRemoving} />
            ))}
          </ul>
        )}
      </Reading>
      <Confirm
        open={removing !== null}
        onClose={() => setRemoving(null)}
        act={remove}
        input={() => ({ params: { name: removing ?? '' } })}
        title={`Delete the group ${removing ?? ''}?`}
        label="Delete"
        done="The group is deleted"
        danger
      >
        <p>Its people stay members. A group that a route names is not deleted.</p>
      </Confirm>
    </Card>
  )
}

function NewGroup() {
  const [name, setName] = useState('')
  const make = useAct('make_group', { stale: ['list_groups'] })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    // Clears the field only if it still shows the saved name, because the person may have typed another.
    make.mutate({ body: { name } }, { onSuccess: () => setName(now => (now === name ? '' : now)) })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-2">
        <Field label="New group" hint="a-z, 0-9 and -" className="min-w-0 flex-1 basis-60">
          <TextInput
            required
            pattern="[a-z0-9][a-z0-9\-]{0,59}"
            value={name}
            onChange={event => setName(event.currentTarget.value)}
          />
        </Field>
        <Button type="submit" busy={make.isPending}>
          Make group
        </Button>
      </div>
      {make.error && <ProblemNote error={make.error} />}
    </form>
  )
}

const stale = { stale: ['list_groups'] as const }

function Group({
  group: { name, members: inside },
  members,
  onRemove,
}: {
  group: OrganizationGroup
  members: readonly Member[]
  onRemove(name: string): void
}) {
  const add = useAct('add_group_member', stale)
  const take = useAct('remove_group_member', stale)
  const others = members.filter(({ account }) => !inside.some(one => one.account_id === account.account_id))
  const error = add.error ?? take.error
  const warnings = inside.length === 0 ? (take.data?.warnings ?? []) : []
  return (
    <li className="flex flex-col gap-3 py-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-semibold break-all">
          {name} {inside.length === 0 && <Badge tone="warn">Nobody is in it</Badge>}
        </h3>
        <Button size="small" variant="danger" onClick={() => onRemove(name)}>
          Delete<span className="sr-only"> the group {name}</span>
        </Button>
      </div>
      <ul className="flex flex-wrap gap-2">
        {inside.map(({ account_id, email, sources }) => (
          <li
            key={account_id}
            className="flex max-w-full items-center gap-2 rounded-lg border border-line px-3 py-1.5 text-sm"
          >
            <span className="min-w-0 break-all">
              <ForeignText text={email} />
            </span>
            {sources.includes('claim') && <Badge>by claim</Badge>}
            <Button
              size="small"
              variant="quiet"
              onClick={() => take.mutate({ params: { name, account_id } })}
            >
              Take out
              <span className="sr-only">
                {' '}
                {email} of {name}
              </span>
            </Button>
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <Field label={`Add to ${name}`} bare className="max-w-sm">
          <Choice
            value=""
            options={[
              { value: '', label: 'Add somebody…' },
              ...others.map(({ account }) => ({ value: account.account_id, label: account.email })),
            ]}
            onChoose={account_id => account_id !== '' && add.mutate({ params: { name, account_id } })}
          />
        </Field>
      )}
      {error && <ProblemNote error={error} />}
      {warnings.map(({ message }) => (
        <p key={message} className="text-sm text-bad">
          {message}
        </p>
      ))}
    </li>
  )
}
