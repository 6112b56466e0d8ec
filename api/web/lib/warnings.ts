import type { ActionSummary } from '../../../shared/contract/action/action.ts'
import type { ActionStatus } from '../../../shared/contract/action/action-status.ts'
import type { Route } from '../../../shared/contract/configuration/route-schema.ts'
import type { ApiKey } from '../../../shared/contract/configuration/tenant.ts'
import { counted, formatDuration } from './format.ts'

export interface Warning {
  tone: 'warn' | 'odd'
  text: string
  place: 'keys' | 'history' | 'policy' | 'routes'
  link: string
}

const slowMs = 30_000
const soonMs = 7 * 86_400_000
const underWay: ReadonlySet<ActionStatus> = new Set(['allowed', 'approved', 'execution_pending', 'executing'])

/** Data to check for problems. A list is null until it has loaded, or if the person may not read it. */
export interface Looked {
  actions: readonly ActionSummary[]
  keys: readonly ApiKey[] | null
  routes: readonly Route[] | null
}

export function warningsOf({ actions, keys, routes }: Looked, now: number): Warning[] {
  const found = [
    unknownOutcomes(actions),
    stuck(actions, now),
    nothingExecuted(actions),
    keyTrouble(keys, now),
    emptyRoutes(routes ?? []),
  ]
  return found.filter(warningOf => warningOf !== null)
}

function unknownOutcomes(actions: readonly ActionSummary[]): Warning | null {
  const count = actions.filter(({ status }) => status === 'outcome_unknown').length
  if (count === 0) return null
  return {
    tone: 'odd',
    text: `Nobody knows whether ${counted(count, 'recent action')} really happened. Look at the target system before anything is repeated.`,
    place: 'history',
    link: 'See the history',
  }
}

function stuck(actions: readonly ActionSummary[], now: number): Warning | null {
  const ages = actions
    .filter(({ status }) => underWay.has(status))
    .map(({ updated_at }) => now - Date.parse(updated_at))
  const slow = ages.filter(age => age > slowMs)
  if (slow.length === 0) return null
  return {
    tone: 'warn',
    text: `${counted(slow.length, 'action')} may run but ${slow.length === 1 ? 'has' : 'have'} not, for ${formatDuration(Math.max(...slow))}. The service may be busy, its worker stopped, or an operator has frozen it. Nothing is lost.`,
    place: 'history',
    link: 'See the history',
  }
}

function nothingExecuted(actions: readonly ActionSummary[]): Warning | null {
  const { length } = actions
  if (length < 3 || !actions.every(({ status }) => status === 'denied' || status === 'execution_failed'))
    return null
  const denied = actions.every(({ status }) => status === 'denied')
  return {
    tone: 'warn',
    text: denied
      ? `Nothing was executed lately: the last ${length} proposals were all denied. The policy may be narrower than what the agent tries.`
      : `Nothing was executed lately: the last ${length} actions were denied or failed.`,
    place: denied ? 'policy' : 'history',
    link: denied ? 'See the policy' : 'See the history',
  }
}

function emptyRoutes(routes: readonly Route[]): Warning | null {
  const lacking = routes.filter(route => route.groups_without_members.length > 0)
  if (lacking.length === 0) return null
  const groups = new Set(lacking.flatMap(route => route.groups_without_members))
  const names = lacking.map(({ name }) => name).join(', ')
  return {
    tone: 'warn',
    text: `Nobody is in ${[...groups].join(', ')}. What is held for ${names} cannot be approved until somebody is.`,
    place: 'routes',
    link: 'See routes and groups',
  }
}

function keyTrouble(keys: readonly ApiKey[] | null, now: number): Warning | null {
  if (keys === null) return null
  const agents = keys.filter(({ scope, revoked }) => scope === 'agent' && !revoked)
  const ends = agents.map(({ expires_at }) =>
    expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at),
  )
  const last = Math.max(...ends)
  const link = 'See the keys'
  if (!(last > now))
    return {
      tone: 'warn',
      text: 'No agent key is usable, so no agent can propose anything.',
      place: 'keys',
      link,
    }
  if (last - now > soonMs) return null
  const text = `The last usable agent key expires in ${formatDuration(last - now)}. Make another before then.`
  return { tone: 'warn', text, place: 'keys', link }
}
