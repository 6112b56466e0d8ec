import type { InboxGrouping } from '../../../../../shared/contract/action/inbox-schema.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useCall } from '../../../lib/query.tsx'
import { classes } from '../../../ui/classes.ts'
import { Choice, Field, type Option } from '../../../ui/field.tsx'
import { ForeignText } from '../../../ui/text.tsx'
import { useDesk } from '../desk.ts'
import { filtersOf, type Narrowed } from './use-held.ts'

const groupings: readonly Option<Narrowed['by']>[] = [
  { value: '', label: 'Not grouped' },
  { value: 'agent_id', label: 'By agent' },
  { value: 'operation', label: 'By operation' },
  { value: 'system', label: 'By system' },
  { value: 'risk', label: 'By risk' },
  { value: 'review_route', label: 'By review route' },
]

export interface HeldGroupsProps {
  value: Narrowed
  polling: boolean
  onChange(value: Narrowed): void
}

export function GroupChoice({ value, onChange }: Pick<HeldGroupsProps, 'value' | 'onChange'>) {
  const { by } = value
  return (
    <Field label="Group by" bare>
      <Choice
        options={groupings}
        value={by}
        onChoose={chosen => onChange({ ...value, ...(by === '' ? {} : { [by]: '' }), by: chosen })}
      />
    </Field>
  )
}

/**
 * Shows the groups that the service counted. Choosing a group filters the list, and choosing it again ends the
 * filter.
 */
export function HeldGroups(props: HeldGroupsProps) {
  const { by } = props.value
  if (by === '') return null
  return (
    <section aria-label="Groups" className="flex flex-col gap-2 border-b border-line px-4 py-2">
      <Groups {...props} by={by} />
    </section>
  )
}

function Groups({ by, value, polling, onChange }: HeldGroupsProps & { by: InboxGrouping }) {
  const { requests, scope } = useDesk()
  // The query ignores the chosen group, so that the other groups stay visible.
  const query = { ...scope, by, ...filtersOf({ ...value, [by]: '' }) }
  const { data } = useCall(requests.groups, { query }, { keep: true, every: polling ? 5_000 : false })
  if (data?.by !== by) return null
  return (
    <>
      <ul className="flex max-h-48 flex-col gap-0.5 overflow-y-auto">
        {data.groups.map(group => (
          <li key={group.value}>
            <button
              type="button"
              aria-pressed={value[by] === group.value}
              onClick={() => onChange({ ...value, [by]: value[by] === group.value ? '' : group.value })}
              className={classes(
                'flex min-h-8 w-full items-center justify-between gap-2 rounded-md px-2 text-left text-sm -outline-offset-2',
                value[by] === group.value ? 'bg-accent-wash font-semibold text-accent' : 'hover:bg-sunken',
              )}
            >
              <span className="min-w-0 truncate">
                {group.value === '' ? 'none' : <ForeignText text={group.value} />}
              </span>
              <span className="shrink-0 text-soft tabular-nums">
                {formatNumber(group.count)}
                <span className="sr-only"> waiting</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {data.groups.length === 0 && <p className="text-sm text-soft">Nothing waits in any group.</p>}
      {!data.complete && <p className="text-sm text-soft">What ends soonest is counted; more waits.</p>}
    </>
  )
}
