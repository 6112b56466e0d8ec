import type { ActionSummary } from '../../../../shared/contract/action/action.ts'
import { call } from '../../lib/call.ts'
import { csvOf } from '../../lib/csv.ts'
import { download } from '../../lib/download.ts'
import { counted } from '../../lib/format.ts'
import { useWork } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { useSay } from '../../ui/toast.tsx'
import { type Filters, queryOf } from './use-history-filters.ts'

const exportedMax = 10_000

type Format = 'csv' | 'json'
const types: Record<Format, string> = { csv: 'text/csv', json: 'application/json' }

/**
 * Saves the actions that match the filters as a file, at most 10,000. The file includes actions not yet on screen.
 */
export function ExportHistory({ tenantId, filters }: { tenantId: string; filters: Filters }) {
  const say = useSay()
  const save = useWork(async (format: Format) => {
    const { actions, cut } = await findAll(tenantId, filters)
    const text = format === 'csv' ? await csvOf(actions, columns) : JSON.stringify(actions, null, 2)
    download(`history-${tenantId}.${format}`, text, types[format])
    say({
      title: `${counted(actions.length, 'action')} saved`,
      detail: cut ? 'There are more: choose fewer days for the rest.' : 'All that the filters find.',
      tone: cut ? 'plain' : 'good',
    })
  })
  const saving = save.isPending ? save.variables : null
  return (
    <>
      {save.error && <ProblemNote error={save.error} />}
      <Button busy={saving === 'csv'} disabled={save.isPending} onClick={() => save.mutate('csv')}>
        Save as CSV
      </Button>
      <Button busy={saving === 'json'} disabled={save.isPending} onClick={() => save.mutate('json')}>
        Save as JSON
      </Button>
    </>
  )
}

/** Returns the matching actions, newest first. `cut` is true if older ones are missing. */
async function findAll(
  tenantId: string,
  filters: Filters,
): Promise<{ actions: ActionSummary[]; cut: boolean }> {
  const actions: ActionSummary[] = []
  let cursor: string | null = null
  do {
    const query: Record<string, string> = { limit: '200', ...queryOf(filters), ...(cursor ? { cursor } : {}) }
    const page = await call('search_owned_history', { params: { tenant_id: tenantId }, query })
    actions.push(...page.actions)
    cursor = page.next_cursor
  } while (cursor !== null && actions.length < exportedMax)
  return { actions: actions.slice(0, exportedMax), cut: cursor !== null || actions.length > exportedMax }
}

const columns: readonly (keyof ActionSummary)[] = [
  'created_at',
  'updated_at',
  'action_id',
  'proposal_id',
  'agent_id',
  'target_system',
  'operation',
  'summary',
  'decision',
  'effective_risk',
  'status',
]
