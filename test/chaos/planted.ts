import type { Evidence, ExportedAudit, ExportLine, OrderLine } from './check/evidence.ts'
import {
  attempt,
  callOf,
  exportOf,
  parameters,
  partialApproval,
  reconciliation,
  type Told,
  verdict,
} from './sound-evidence.ts'

/** What is planted in sound evidence, to be found. */

/** The second call of an action goes elsewhere, at an endpoint that honours its key. */
export function sendDifferently(afterTheEffect: boolean) {
  return (evidence: Evidence): void => {
    const [first, second] = evidence.ledger.filter(({ key }) => key === 'key of act_erased')
    Object.assign(first ?? {}, { honours_key: true })
    Object.assign(second ?? {}, { honours_key: true, request: 'POST /elsewhere' })
    if (afterTheEffect) {
      Object.assign(first ?? {}, { effect: true, answer: 'done' })
      Object.assign(second ?? {}, { effect: false, answer: 'replayed' })
    }
  }
}

export function endOfPerson(change: Record<string, unknown>) {
  return ({ orders }: Evidence): void => {
    Object.assign(orders.find(line => line.order === 'end_of_person') ?? {}, change)
  }
}

export function order(line: Record<string, unknown> & { order: OrderLine['order'] }) {
  return (evidence: Evidence): void => {
    evidence.orders.push({ tenant_id: 'north', ...line } as OrderLine)
  }
}

/** The export of the action whose content was erased. */
export function erasedIn({ exports }: Evidence): { exported: ExportedAudit } {
  const exported = exports.find(({ action_id }) => action_id === 'act_erased')?.exported
  if (!exported) throw new Error('nothing was erased')
  return { exported }
}

export function told(...story: (Told | undefined)[]): Told[] {
  return story.filter(event => event !== undefined)
}

export function empty(action_id: string): ExportLine {
  return { tenant_id: 'north', action_id, exported: null }
}

export function drop(id: string) {
  return (evidence: Evidence): void => {
    evidence.exports = evidence.exports.filter(({ action_id }) => action_id !== id)
  }
}

export function replace(evidence: Evidence, line: ExportLine): void {
  drop(line.action_id)(evidence)
  evidence.exports.push(line)
}

/** The same action with another story, soundly exported. */
export function retell(id: string, change: (story: Told[]) => Told[]) {
  return (evidence: Evidence): void => {
    const story =
      evidence.exports.find(({ action_id }) => action_id === id)?.exported?.events.map(toldBy) ?? []
    replace(evidence, exportOf(id, change(story)))
  }
}

function toldBy({ event, payload }: { event: string; payload: unknown }): Told {
  const { kind, principal } = JSON.parse(event) as { kind: string; principal: { id: string; kind: string } }
  return [kind, payload as Told[1], `${principal.kind} ${principal.id}`]
}

/** Approved on a route of two groups, for these. */
export function onRoute(group: string, last: string | undefined) {
  const required = ['leads', 'security'].map(each => ({ group: each, approvals: 1 }))
  const terms = { decision: 'needs_approval', approvals_required: 2, route: { required } }
  const said: Record<string, object> = { verdict: terms, approval: { group: last } }
  return (evidence: Evidence): void => {
    approvedAfter(2, 'approver apk_2')(evidence)
    const change = ([kind, body, by]: Told): Told => [kind, { ...body, ...(said[kind] ?? { group }) }, by]
    retell('act_approved', story => story.map(change))(evidence)
  }
}

/** The action takes so many approvals, and has these before the last one. */
export function approvedAfter(approvals_required: number, ...before: string[]) {
  const held: Told = ['verdict', { decision: 'needs_approval', approvals_required }, 'gate gate']
  return (evidence: Evidence): void => {
    retell('act_approved', ([one, _verdict, ...rest]) =>
      told(one, held, ...before.map(partialApproval), ...rest),
    )(evidence)
    evidence.ledger = evidence.ledger.map(call =>
      call.action_id === 'act_approved' ? callOf('act_approved', 3 + before.length) : call,
    )
  }
}

export function approvedBy(who: string) {
  return retell('act_approved', story =>
    story.map(([kind, payload, by]) => (kind === 'approval' ? [kind, payload, who] : [kind, payload, by])),
  )
}

/** Tampers with the export of an action that was executed. */
export function edit(tamper: (exported: NonNullable<ExportLine['exported']>) => unknown) {
  return (evidence: Evidence): void => {
    const exported = evidence.exports.find(({ action_id }) => action_id === 'act_allowed')?.exported
    if (exported) tamper(exported)
  }
}

/** Of 25 accepted operations of a tenant so many come to their deadline. */
export function lateOperations(tenant: string, late: number): (evidence: Evidence) => void {
  return evidence => {
    for (let n = 0; n < 25; n += 1) {
      const id = `act_later_${n}`
      const isLate = n < late
      const action = { target_system: 'http_later', parameters }
      const ended = isLate
        ? { outcome: 'unknown', error: { code: 'completion_deadline' } }
        : { outcome: 'ok' }
      const story: Told[] = [
        ['proposal_received', { proposal_id: id, action }, 'agent agk_1'],
        verdict('allow'),
        attempt(1, id),
        ['execution', ended, 'worker wrk_1'],
        ...(isLate ? [reconciliation('ok')] : []),
      ]
      evidence.exports.push(exportOf(id, story, tenant))
      evidence.ledger.push(callOf(id, 2, { tenant_id: tenant }))
    }
  }
}
