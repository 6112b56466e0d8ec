import type { RecordedVerdict, TraceEvent } from '../contract/action/action.ts'
import type { ActionOutcome, ActionStatus } from '../contract/action/action-status.ts'
import { afterDenial } from '../contract/action/denials.ts'
import type { JsonObject, JsonValue } from '../contract/base/json.ts'

type Ending = Pick<TraceEvent, 'kind' | 'principal' | 'body'>
type Told = Omit<ActionOutcome, 'status' | 'by'>

export function outcomeOf(
  status: ActionStatus,
  { verdict, events }: { verdict: RecordedVerdict; events: readonly Ending[] },
): ActionOutcome | null {
  const endings = endingKinds[status]
  if (endings === undefined) return null
  const ending = events.findLast(({ kind }) => endings.has(kind))
  if (ending) return { status, ...tell(status, ending), by: whoEnded(ending) }
  if (status !== 'denied') return null
  return { status, ...deniedByGate(verdict), by: { id: 'gate', kind: 'gate', name: null } }
}

const executions: ReadonlySet<string> = new Set(['execution', 'reconciliation'])
const endingKinds: Partial<Record<ActionStatus, ReadonlySet<string>>> = {
  denied: new Set(['rejection', 'expiry', 'cancellation', 'supersession']),
  executed: executions,
  execution_failed: executions,
  outcome_unknown: executions,
}

function whoEnded({ principal, body }: Ending): ActionOutcome['by'] {
  return { ...principal, name: said(body?.name) }
}

function deniedByGate({ blocking_reasons: reasons }: RecordedVerdict): Told {
  const [code = 'denied'] = (reasons[0] ?? '').split(':').filter(part => part !== '')
  const message = reasons.join('; ') || 'the gate denied it'
  return { code, message, try_again: false, ...afterDenial(reasons) }
}

function tell(status: ActionStatus, { kind, body }: Ending): Told {
  const note = said(body?.note)
  switch (kind) {
    case 'rejection':
      return { code: 'rejected', message: note ?? 'rejected without a reason', try_again: false }
    case 'expiry':
      return { code: 'approval_expired', message: 'nobody decided in time', try_again: true }
    case 'cancellation':
      return { code: 'withdrawn', message: note ?? 'withdrawn by the key that proposed it', try_again: true }
    case 'supersession':
      return superseded(said(body?.superseded_by), note)
    default:
      return status === 'executed' ? succeeded(body ?? {}, note) : failed(status, body ?? {})
  }
}

/** Names the new action only if the event still names it, because erasure removes the reference. */
function superseded(by: string | null, note: string | null): Told {
  const message = note ?? `${by ?? 'another action'} takes its place`
  return { code: 'superseded', message, ...(by === null ? {} : { superseded_by: by }), try_again: false }
}

function succeeded({ source }: JsonObject, note: string | null): Told {
  if (source === 'operator')
    return {
      code: 'resolved_by_operator',
      message: note ?? 'an operator found that it happened',
      try_again: false,
    }
  const message = sources.get(said(source) ?? '') ?? 'the actuator reported success'
  return { code: 'executed', message, try_again: false }
}

const sources: ReadonlyMap<string, string> = new Map([
  ['late_result', 'a result that came late says that it happened'],
  ['lookup', 'the downstream has a record that it happened'],
])

function failed(status: ActionStatus, { error, class: counted }: JsonObject): Told {
  const { code, message, body } = isObject(error) ? error : {}
  const known = said(code) ?? status
  return {
    code: known,
    message: said(message) ?? 'no reason was recorded',
    ...(body === undefined ? {} : { body }),
    try_again: status === 'execution_failed' && (passing.has(counted) || passingCodes.has(known)),
  }
}

/**
 * Error classes for which a new proposal may succeed (`try_again` is true), because the call provably had no
 * effect.
 */
const passing: ReadonlySet<JsonValue | undefined> = new Set(['retry', 'busy'])
const passingCodes: ReadonlySet<string> = new Set([
  'request_changed',
  'actuator_binding_mismatch',
  'never_happened',
  'resolved_by_operator',
])

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function said(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
