import { expect, it } from 'vitest'
import { checkEnding } from '../../../shared/audit/verify/check-ending.ts'
import { statusAfterEvent } from '../../../shared/audit/verify/event-status.ts'
import { readExport } from '../../../shared/audit/verify/read-export.ts'
import { actionStatuses } from '../../../shared/contract/action/action-status.ts'
import type { ActionEventKind } from '../../../shared/contract/action/audit.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { terminalStatuses } from '../../../shared/lifecycle/status.ts'
import { transitions } from '../../../shared/lifecycle/transition.ts'
import { buildExport } from '../../support/audit/export-builder.ts'
import { entry, inPlaces } from '../../support/audit/trace-entries.ts'

/** The verifier reads events by itself; this is where it must not come to differ from the state table. */
const kinds = [...new Set(transitions.map(({ event }) => event))].filter(kind => kind !== 'erasure')
const payloads: JsonObject[] = [
  ...['allow', 'needs_approval', 'deny'].map(decision => ({ decision })),
  ...['ok', 'failed', 'retry', 'unknown'].map(outcome => ({ outcome })),
]

it.each(kinds)('%s leaves an action where the state table does', kind => {
  const told = payloads.map(payload => standing(kind, payload)).filter(found => found !== 'nothing_known')
  const table = transitions.filter(({ event }) => event === kind).map(({ to }) => to)
  expect(new Set(told)).toEqual(new Set(table))
})

it('erasures are passed over: they leave an action where it was', () => {
  const erasures = transitions.filter(({ event }) => event === 'erasure')
  expect(erasures.length).toBeGreaterThan(0)
  expect(erasures.filter(({ from, to }) => from !== to)).toEqual([])
})

it('an action ends where nothing changes it any more', () => {
  const ends = actionStatuses.filter(status => terminalStatuses.has(status))
  const endings = [
    [entry.verdict('deny')],
    [entry.verdict('allow'), entry.executed('ok')],
    [entry.verdict('allow'), entry.executed('failed')],
  ].map(later => checkEnding(opened([entry.proposed(), ...later])).reason)
  expect(endings).toEqual(ends.map(status => `the action ended as ${status}`))
})

it('what an event of an unknown kind or a payload without meaning says is nothing', () => {
  expect(standing('execution', {})).toBe('nothing_known')
  expect(standing('execution', { outcome: 1 })).toBe('nothing_known')
  expect(standing('execution', { outcome: 'constructor' })).toBe('nothing_known')
  expect(standing('verdict', null)).toBe('not_told')
})

function standing(kind: ActionEventKind, payload: JsonObject | null): string {
  const [event] = opened([entry.proposed()]).events
  if (event === undefined) throw new Error('there is no event')
  return statusAfterEvent({ event: { ...event, kind }, payload })
}

function opened(entries: Parameters<typeof inPlaces>[0]) {
  const read = readExport(buildExport({ entries: inPlaces(entries) }).bytes)
  if (!read.ok) throw new Error(read.error)
  return { ...read.value, statement: null, checkpoint: null, older: null }
}
