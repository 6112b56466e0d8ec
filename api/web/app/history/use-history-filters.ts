import { useSearchParams } from 'react-router'
import type { ActionStatus } from '../../../../shared/contract/action/action-status.ts'
import type { RiskLevel } from '../../../../shared/contract/action/proposal-schema.ts'
import { statusNames } from '../../ui/status.tsx'

export interface Filters {
  status: ActionStatus | ''
  risk: RiskLevel | ''
  /** Words that must all occur in an action. */
  search: string
  agent_id: string
  operation: string
  /** The first and the last day, both included, as YYYY-MM-DD in the browser's time zone. */
  from: string
  to: string
}

const risks: readonly RiskLevel[] = ['low', 'medium', 'high']

/** Keeps the filters of the history in the address, so that a filtered list can be linked and restored. */
export function useHistoryFilters() {
  const [search, setSearch] = useSearchParams()
  const text = (name: string): string => search.get(name) ?? ''
  const filters: Filters = {
    status: statusNames.find(name => name === search.get('status')) ?? '',
    risk: risks.find(level => level === search.get('risk')) ?? '',
    search: text('q'),
    agent_id: text('agent'),
    operation: text('operation'),
    from: dayIn(text('from')),
    to: dayIn(text('to')),
  }
  return {
    filters,
    filtered: Object.values(filters).some(value => value.trim() !== ''),
    clear: () => setSearch({}, { replace: true }),
    change(changed: Partial<Filters>) {
      const { search: q, agent_id: agent, ...rest } = { ...filters, ...changed }
      const given = Object.entries({ ...rest, q, agent }).filter(([, value]) => value !== '')
      setSearch(Object.fromEntries(given), { replace: true })
    },
  }
}

/** Returns an empty text for an invalid day, because people can edit the address. */
function dayIn(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''
}

/** Returns the filters as query parameters. Omits empty filters, and converts days to timestamps. */
export function queryOf(filters: Filters): Record<string, string> {
  const { search, from, to, ...exact } = filters
  const given = {
    ...exact,
    search: search.trim(),
    from: from === '' ? '' : dayBegins(from, 0),
    to: to === '' ? '' : dayBegins(to, 1),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
}

/** Returns the start of the day that is `later` days after `day`, in the browser's time zone. */
function dayBegins(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}
