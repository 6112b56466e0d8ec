import { Link } from 'react-router'
import type { ActionSummary } from '../../../../shared/contract/action/action.ts'
import { useNow } from '../../lib/clock.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { warningsOf } from '../../lib/warnings.ts'
import { Info } from '../../pictures/icons.ts'
import { classes } from '../../ui/classes.ts'

const tones = {
  warn: 'border-warn/40 text-warn',
  odd: 'border-odd/40 text-odd',
} as const

export function Warnings({ tenantId, actions }: { tenantId: string; actions: readonly ActionSummary[] }) {
  const may = useMay()
  const keys = useCall(
    'list_owned_keys',
    { params: { tenant_id: tenantId }, query: { limit: '200' } },
    { enabled: may('list_owned_keys') },
  )
  const routes = useCall(
    'list_owned_routes',
    { params: { tenant_id: tenantId } },
    { enabled: may('list_owned_routes') },
  )
  const looked = { actions, keys: keys.data?.api_keys ?? null, routes: routes.data?.routes ?? null }
  const told = warningsOf(looked, useNow())
  if (told.length === 0) return null
  return (
    <ul aria-label="Worth knowing" className="flex flex-col gap-2">
      {told.map(({ tone, text, place, link }) => (
        <li
          key={`${place} ${link} ${tone}`}
          className={classes(
            'flex items-start gap-3 rounded-xl border bg-surface px-5 py-3 shadow-card',
            tones[tone],
          )}
        >
          <Info className="mt-0.5 size-5 shrink-0" aria-hidden />
          <p className="min-w-0 text-ink">
            {text}{' '}
            <Link to={`/a/${tenantId}/${place}`} className="rounded font-medium text-accent underline">
              {link}
            </Link>
          </p>
        </li>
      ))}
    </ul>
  )
}
