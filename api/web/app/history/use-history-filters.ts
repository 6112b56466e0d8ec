import { useSearchParams } from 'react-router'
import type { ActionStatus } from '../../../../shared/contract/action/action-status.ts'
import type { RiskLevel } from '../../../../shared/contract/action/proposal-schema.ts'
import { statusNames } from '../../ui/status.tsx'

export interface Filters {
  status: ActionStatus | ''
  risk: RiskLevel | ''
  /** Looked for in agent, summary, system, operation and ids. */
  text: string
}

const risks: readonly RiskLevel[] = ['low', 'medium', 'high']

/** The filters of the history; they stand in the address, so that a view can be shared and come back to. */
export function useHistoryFilters() {
  const [search, setSearch] = useSearchParams()
  const filters: Filters = {
    status: statusNames.find(name => name === search.get('status')) ?? '',
    risk: risks.find(level => level === search.get('risk')) ?? '',
    text: search.get('q') ?? '',
  }
  return {
    filters,
    filtered: filters.status !== '' || filters.risk !== '' || filters.text.trim() !== '',
    clear: () => setSearch({}, { replace: true }),
    change(changed: Partial<Filters>) {
      const { status, risk, text } = { ...filters, ...changed }
      const given = Object.entries({ status, risk, q: text }).filter(([, value]) => value !== '')
      setSearch(Object.fromEntries(given), { replace: true })
    },
  }
}
