import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createKeptPlaces } from '../../../worker/kept-places.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

const place = (
  action_id: string,
  more: boolean,
  change: { freezes?: string; target_system?: string } = {},
) => ({
  tenant_id: 'acme',
  target_system: 'crm',
  freezes: 'one',
  next_run_at: '2026-01-01 00:00:00+00',
  action_id,
  more,
  ...change,
})

function idsOf(kept: ReturnType<typeof createKeptPlaces>): string[] {
  return kept.known().map(({ action_id }) => action_id)
}

it('where a claim saw all that was due, nothing is remembered', () => {
  const kept = createKeptPlaces()
  expect(kept.heard([place('act_1', false)])).toBe(false)
  expect(idsOf(kept)).toEqual([])
})

it('a claim looks on while there is more, and from the end on afterwards', () => {
  const kept = createKeptPlaces()
  expect(kept.heard([place('act_1', true)])).toBe(true)
  expect(kept.heard([place('act_2', true)])).toBe(true)
  expect(kept.heard([place('act_3', false)])).toBe(false)
  expect(idsOf(kept)).toEqual(['act_3'])
  expect(kept.heard([])).toBe(false)
  expect(idsOf(kept)).toEqual(['act_3'])
})

it('a minute after the first look all is looked at anew, however far it has come since', () => {
  const kept = createKeptPlaces()
  kept.heard([place('act_1', true)])
  vi.advanceTimersByTime(59_000)
  kept.heard([place('act_2', false)])
  expect(idsOf(kept)).toEqual(['act_2'])
  vi.advanceTimersByTime(1_000)
  expect(idsOf(kept)).toEqual([])
})

it('other freezes begin a minute of their own', () => {
  const kept = createKeptPlaces()
  kept.heard([place('act_1', true)])
  vi.advanceTimersByTime(59_000)
  kept.heard([place('act_2', true, { freezes: 'two' })])
  vi.advanceTimersByTime(2_000)
  expect(idsOf(kept)).toEqual(['act_2'])
})

it('of 256 systems it is known, and what is found in others makes no claim look on', () => {
  const kept = createKeptPlaces()
  const found = Array.from({ length: 257 }, (_, at) =>
    place(`act_${at}`, true, { target_system: `system-${at}` }),
  )
  expect(kept.heard(found)).toBe(true)
  expect(idsOf(kept)).toHaveLength(256)
  expect(kept.heard(found.slice(256))).toBe(false)
  expect(kept.heard(found.slice(0, 1))).toBe(true)
})
