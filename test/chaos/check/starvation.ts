import type { SightingLine } from './evidence.ts'
import type { History } from './history.ts'

/** Of accepted operations that ended, so many at most may have come to their deadline: what broke in a run delays some. */
const overdueShareMax = 0.2
/** Fewer say nothing. */
const operationsMin = 20
const overdue = 'completion_deadline'

/** Whether operations of tenants whose polls are answered came to their deadline beside those of one whose polls hang. */
export function starved(histories: readonly History[], sightings: readonly SightingLine[]): string[] {
  const hanging = new Set(sightings.flatMap(({ tenant_id }) => tenant_id ?? []))
  const ends = histories.filter(({ tenant_id }) => !hanging.has(tenant_id)).flatMap(endsOfOperations)
  const late = ends.filter(end => end === overdue).length
  if (ends.length < operationsMin || late <= ends.length * overdueShareMax) return []
  return [
    `${late} of ${ends.length} operations came to their deadline beside polls of another tenant that hang`,
  ]
}

/** How each attempt of an action ended at a downstream that accepts what it does later. */
function endsOfOperations({ events }: History): string[] {
  const action = events[0]?.payload.action as { target_system?: string } | undefined
  if (action?.target_system !== 'http_later') return []
  return events
    .filter(({ kind }) => kind === 'execution')
    .map(({ payload }) => (payload.error as { code?: string } | undefined)?.code ?? 'told')
}
