import { Fragment, useMemo } from 'react'
import type { PolicyState } from '../../../shared/contract/configuration/tenant.ts'
import type { Answered } from '../lib/call.ts'
import { counted } from '../lib/format.ts'
import { type OperationRow, policyRows, type SystemRow } from '../lib/policy/policy-rows.ts'
import { approvalsWords, constraintWords, thresholdWords } from '../lib/policy/policy-words.ts'
import { Badge } from '../ui/badge.tsx'
import { ShowMore, useShown } from '../ui/show-more.tsx'
import { ForeignText } from '../ui/text.tsx'
import { AccessNote } from './access.tsx'

type Tool = Answered<'list_owned_tools'>['tools'][number]
export type NormalizedPolicy = PolicyState['policy']

const systemsStep = 25
const operationsStep = 12
const conditionsStep = 12

export function PolicyView({
  policy,
  tools,
}: {
  policy: NormalizedPolicy
  tools: readonly Tool[] | undefined
}) {
  const systems = useMemo(() => policyRows(policy), [policy])
  const { shown, rest, more } = useShown(systems, systemsStep)
  return (
    <div className="flex flex-col gap-5">
      <p className="text-[1.0625rem] leading-relaxed">
        {thresholdWords(policy.approval_required_at)}:{' '}
        <strong className="font-semibold">
          <ForeignText text={policy.review_route} />
        </strong>
        .{' '}
        {policy.approvals_required !== undefined && (
          <>Each takes {approvalsWords(policy.approvals_required)}; one rejection ends it. </>
        )}
        What is not listed below is denied.
      </p>
      {systems.length === 0 && (
        <p className="text-soft">No system is allowed, so every proposal is denied.</p>
      )}
      <ul className="flex flex-col gap-4">
        {shown.map(row => (
          <SystemBlock
            key={row.system}
            row={row}
            access={tools?.find(({ system }) => system === row.system)?.access ?? []}
          />
        ))}
      </ul>
      <ShowMore rest={rest} what="systems" more={more} />
    </div>
  )
}

function SystemBlock({ row, access }: { row: SystemRow; access: Tool['access'] }) {
  const { shown, rest, more } = useShown(row.rows, operationsStep)
  return (
    <li className="min-w-0 overflow-hidden rounded-lg border border-line">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line bg-sunken px-4 py-2">
        <span className="min-w-0 font-mono text-sm font-semibold">
          <ForeignText text={row.system} />
        </span>
        <SystemBadge row={row} access={access} />
      </div>
      <ul className="divide-y divide-line">
        {shown.map(operation => (
          <Operation
            key={operation.operation ?? ''}
            row={operation}
            access={access.find(one => one.operation === operation.operation)}
          />
        ))}
        {row.rows.length === 0 && (
          <li className="px-4 py-2.5 text-sm text-soft">No operation may be called.</li>
        )}
      </ul>
      {rest > 0 && (
        <div className="border-t border-line px-4">
          <ShowMore rest={rest} what="operations" more={more} />
        </div>
      )}
    </li>
  )
}

function SystemBadge({
  row: { allowed, operations, rows },
  access,
}: {
  row: SystemRow
  access: Tool['access']
}) {
  if (!allowed) return <Badge tone="warn">Not allowed</Badge>
  const isOpen = operations === 'any' && access.find(one => one.operation === null)?.answer !== 'denied'
  if (isOpen) return <Badge tone="warn">Any operation</Badge>
  if (operations === 'none') return <Badge>No operations</Badge>
  const named = rows.filter(({ idle, operation }) => !idle && operation !== null)
  return <Badge>{counted(named.length, 'operation')}</Badge>
}

function Operation({
  row: { operation, conditions, idle },
  access,
}: {
  row: OperationRow
  access: Tool['access'][number] | undefined
}) {
  const { shown, rest, more } = useShown(conditions, conditionsStep)
  return (
    <li className="grid gap-x-6 gap-y-1 px-4 py-2.5 text-sm sm:grid-cols-[minmax(0,14rem)_minmax(0,1fr)]">
      <span className="min-w-0">
        {operation === null ? (
          'Any other operation'
        ) : (
          <code className="font-mono">
            <ForeignText text={operation} />
          </code>
        )}
      </span>
      <div className="min-w-0">
        {access && <AccessNote access={access} />}
        {idle && <p className="text-warn">Not allowed, so these conditions never apply:</p>}
        {conditions.length === 0 ? (
          <span className="block text-soft">The policy has no conditions for it.</span>
        ) : (
          <dl className="grid grid-cols-[minmax(0,auto)_minmax(0,1fr)] gap-x-3 gap-y-0.5">
            {shown.map(([path, constraint]) => (
              <Fragment key={path}>
                <dt className="font-mono text-soft">
                  <ForeignText text={path} />
                </dt>
                <dd>
                  <ForeignText text={constraintWords(constraint)} />
                </dd>
              </Fragment>
            ))}
          </dl>
        )}
        <ShowMore rest={rest} what="conditions" more={more} />
      </div>
    </li>
  )
}
