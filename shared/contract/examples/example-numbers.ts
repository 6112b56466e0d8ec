import type { Numbers } from '../action/numbers-schema.ts'

const counts = {
  allowed: 41,
  held: 6,
  denied: 3,
  approved: 4,
  rejected: 1,
  edited: 0,
  expired: 1,
  withdrawn: 0,
  executed: 44,
  failed: 1,
  unknown: 0,
}

export const exampleNumbers: Numbers = {
  window: '24h',
  step: 'hour',
  since: '2026-11-24T10:00:00.000Z',
  until: '2026-11-25T09:12:00.000Z',
  behind: 0,
  decisions: 50,
  ...counts,
  time_to_decision: { decided: 5, p50_ms: 95_180, p95_ms: 1_204_553 },
  series: [{ at: '2026-11-25T09:00:00.000Z', ...counts }],
  agents: [{ agent_id: 'support-bot', allowed: 41, held: 6, denied: 3 }],
  reasons: [{ code: 'system_not_allowed', count: 3 }],
}
