import { Link } from 'react-router'
import { accessAnswers, accessCounts } from '../../../../shared/contract/access/access-words.ts'
import type { ToolSummary } from '../../../../shared/contract/configuration/tool-import.ts'
import { counted } from '../../lib/format.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { ArrowRight } from '../../pictures/icons.ts'
import { Card } from '../../ui/card.tsx'
import { Reading } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'

export function PolicyLine({ tenantId }: { tenantId: string }) {
  const may = useMay()
  const params = { tenant_id: tenantId }
  const policy = useCall('read_owned_policy', { params })
  const tools = useCall('list_owned_tools', { params })
  return (
    <Card
      title="Policy in force"
      actions={
        <Link
          to={`/a/${tenantId}/policy`}
          className="flex min-h-6 items-center gap-1 rounded text-sm font-medium text-accent hover:underline"
        >
          {may('replace_owned_policy') ? 'Read or change it' : 'Read it'}{' '}
          <ArrowRight className="size-4" aria-hidden />
        </Link>
      }
    >
      <Reading query={policy} rows={2}>
        {state => (
          <>
            <Reading query={tools} rows={1}>
              {({ tools: listed }) => <p>{reachOf(listed)}</p>}
            </Reading>
            <p className="mt-1">
              <ForeignText text={state.policy.review_route} className="font-medium" /> decides what is held.
            </p>
            <p className="mt-1 text-sm text-soft">
              Revision {state.revision}, made <Time at={state.created_at} />
            </p>
          </>
        )}
      </Reading>
    </Card>
  )
}

function reachOf(tools: readonly ToolSummary[]): string {
  const counts = { allowed: 0, held: 0, denied: 0, open: 0 }
  for (const { operations } of tools) for (const answer of accessAnswers) counts[answer] += operations[answer]
  const named = accessAnswers.reduce((sum, answer) => sum + counts[answer], 0)
  const open = tools.filter(({ access }) => access.some(({ operation }) => operation === null)).length
  const unlisted = open === 0 ? '' : ` ${counted(open, 'system')} without a list of operations.`
  if (named === 0) return unlisted === '' ? 'Every call is denied: no operation is named.' : unlisted.trim()
  return `${counted(named, 'operation')} on ${counted(tools.length, 'system')}: ${accessCounts(counts)}.${unlisted}`
}
