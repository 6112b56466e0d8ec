import type { HeldAction } from '../../contract/action/action.ts'
import type {
  Inbox,
  InboxAction,
  InboxFilters,
  InboxGroups,
  InboxGroupsQuery,
  InboxQuery,
  InboxValue,
} from '../../contract/action/inbox-schema.ts'
import type { Check } from '../../contract/action/verdict.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import { writeTimeCursor } from '../../contract/endpoints/paging.ts'
import { decisiveFirst, type Leaf } from '../../lifecycle/told-values.ts'
import {
  countHeld,
  groupHeld,
  type HeldFilter,
  type HeldIds,
  type HeldPlace,
  type InboxRow,
  listHeldIds,
  readHeld,
} from '../../store/action/held-rows.ts'
import type { Context } from '../core/context.ts'
import { readHeldRoutes, type Viewer, viewerHolder } from './held-routes.ts'
import { heldAction } from './read-actions.ts'

export interface InboxRequest {
  tenantIds: readonly string[]
  viewer: Viewer
  query: InboxQuery
}

/**
 * Returns one page of the actions that wait for a person in some applications, earliest deadline first
 * (specification.md#endpoints).
 */
export async function readInbox(
  context: Context,
  { tenantIds, viewer, query }: InboxRequest,
): Promise<Inbox> {
  if (tenantIds.length === 0) return { approvals: [], waiting: 0, next_cursor: null }
  const { limit, cursor } = query
  const page = { tenantIds, filter: filterOf(query), limit, after: cursor ?? null }
  const holder = await viewerHolder(context, viewer)
  return context.store.read(tenantIds, async reader => {
    const ids = await listHeldIds(reader, page)
    const shown = ids.places.slice(0, limit)
    const rows =
      shown.length === 0
        ? []
        : await readHeld(
            reader,
            shown.map(([, actionId]) => actionId),
          )
    const next = nextPlace(ids, shown, rows)
    const routes = await readHeldRoutes(reader, rows, holder)
    return {
      approvals: rows
        .filter(({ fits }) => fits)
        .flatMap(({ fits: _, tenant_id, ...row }) =>
          heldAction(row, context, { tenant_id, routes }).map(held => inboxAction(tenant_id, held)),
        ),
      waiting: await countHeld(reader, tenantIds),
      next_cursor: next && writeTimeCursor([...next]),
    }
  })
}

/** Omits proposal and verdict, because a page of 200 actions with them measured 800 kB. */
function inboxAction(tenant_id: string, { proposal, verdict, ...held }: HeldAction): InboxAction {
  const { target_system, operation, parameters } = proposal.action
  const { principal, effective_risk, proposal_hash, request_hash } = verdict
  return {
    tenant_id,
    agent_id: proposal.actor.agent_id,
    key: { key_id: principal.key_id, name: principal.name },
    summary: proposal.summary,
    target_system,
    operation,
    ...toldValues(parameters, verdict.checks),
    effective_risk,
    proposal_hash,
    ...(request_hash === undefined ? {} : { request_hash }),
    ...held,
  }
}

function toldValues(
  parameters: JsonObject,
  checks: readonly Check[],
): Pick<InboxAction, 'values' | 'values_more'> {
  const { told } = decisiveFirst(parameters, checks)
  const short = told.filter(({ way }) => way.join('.').length <= limits.inbox_value_length_max)
  const values = short.slice(0, limits.inbox_values_max).map(toldValue)
  return { values, values_more: told.length - values.length }
}

function toldValue({ way, value }: Leaf): InboxValue {
  const characters = typeof value === 'string' ? [...value] : []
  const told = { path: [...way], value }
  if (characters.length <= limits.inbox_value_length_max) return told
  return { ...told, value: characters.slice(0, limits.inbox_value_length_max).join(''), cut: true }
}

export async function groupInbox(
  context: Context,
  { tenantIds, query: { by, ...filters } }: { tenantIds: readonly string[]; query: InboxGroupsQuery },
): Promise<InboxGroups> {
  if (tenantIds.length === 0) return { by, groups: [], complete: true }
  const { groups, complete } = await context.store.read(tenantIds, reader =>
    groupHeld(reader, { tenantIds, filter: filterOf(filters), by }),
  )
  const shown = groups.slice(0, limits.inbox_groups_max)
  return { by, groups: shown, complete: complete && shown.length === groups.length }
}

function filterOf({ agent_id, system, operation, risk, review_route, search }: InboxFilters): HeldFilter {
  return {
    agent_id: agent_id ?? null,
    system: system ?? null,
    operation: operation ?? null,
    risk: risk ?? null,
    review_route: review_route ?? null,
    words: wordsOf(search),
  }
}

function nextPlace({ places, looked }: HeldIds, shown: HeldPlace[], rows: InboxRow[]): HeldPlace | null {
  const cut = rows.find(({ fits }) => !fits)
  if (cut) return shown[shown.findIndex(([, id]) => id === cut.action_id) - 1] ?? null
  return (places.length > shown.length ? shown.at(-1) : looked) ?? null
}

export function wordsOf(search = ''): string[] {
  const words = search.split(/\s+/).filter(word => word !== '')
  return words.slice(0, limits.search_words_max)
}
