import { useParams } from 'react-router'
import { History } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { ExportHistory } from './export-history.tsx'
import { HistoryFilters } from './history-filters.tsx'
import { HistoryReach } from './history-reach.tsx'
import { HistoryTable } from './history-table.tsx'
import { useHistory } from './use-history.ts'
import { useHistoryFilters } from './use-history-filters.ts'

export function HistoryPage() {
  const { tenantId = '' } = useParams()
  const { filters, change, clear, filtered } = useHistoryFilters()
  const history = useHistory(tenantId, filters)
  const { pages, found, searched } = history
  const none = found.length === 0
  return (
    <Page
      title="History"
      lead="Everything that agents asked for, what was decided, and what came of it."
      actions={<ExportHistory tenantId={tenantId} filters={filters} />}
    >
      <HistoryFilters filters={filters} onChange={change} />
      <section aria-label="Actions" className="min-w-0 rounded-xl border border-line bg-surface shadow-card">
        <Reading query={pages} rows={10}>
          {() => (
            <>
              {none && filtered && (
                <Empty icon={History} title="Nothing found so far">
                  <p className="mb-3">Other words, another status or a longer search may help.</p>
                  <Button size="small" onClick={clear}>
                    Clear the filters
                  </Button>
                </Empty>
              )}
              {none && !filtered && (
                <Empty icon={History} title="No actions yet">
                  Each proposal of an agent appears here, whatever was decided.
                </Empty>
              )}
              {!none && <HistoryTable tenantId={tenantId} actions={found} />}
              {searched > 0 && <HistoryReach history={history} filtered={filtered} />}
            </>
          )}
        </Reading>
      </section>
    </Page>
  )
}
