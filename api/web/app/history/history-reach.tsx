import { counted } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import type { useHistory } from './use-history.ts'

/**
 * Shows how many actions were searched, because one request searches only some of them. A button searches older
 * ones.
 */
export function HistoryReach({
  history: { found, searched, back, more, busy, searchFurther },
  filtered,
}: {
  history: ReturnType<typeof useHistory>
  filtered: boolean
}) {
  return (
    <footer className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-5 py-3 text-sm text-soft">
      <p role="status">
        {filtered && `${counted(found.length, 'match', 'matches')} among `}
        {more ? `the newest ${counted(searched, 'action')}` : `all ${counted(searched, 'action')}`}
        {more && back && (
          <>
            , back to <Time at={back} />
          </>
        )}
      </p>
      {more && (
        <Button size="small" busy={busy} onClick={searchFurther}>
          {filtered ? 'Search further back' : 'Show older ones'}
        </Button>
      )}
    </footer>
  )
}
