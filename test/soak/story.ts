import type { Random } from '../chaos/faults/seeded-random.ts'

/** One proposal and what its clients do with it. */
export interface Story {
  proposal_id: string
  system: 'prompt' | 'slow' | 'ill' | 'busy'
  /** `high` is held. */
  risk: 'low' | 'high'
  /** Above 100 it is denied. */
  amount: number
  decision: 'approve' | 'reject' | null
  /** It is submitted so often. */
  copies: number
  polls: number
  /** How it has to end. */
  ends: 'executed' | 'execution_failed' | 'denied'
}

const decisions: [Story['decision'], ...Story['decision'][]] = ['approve', 'approve', 'reject', null]

export function tellStory(random: Random, n: number): Story {
  const kind = random.pick([
    'allowed',
    'allowed',
    'allowed',
    'allowed',
    'held',
    'held',
    'denied',
    'slow',
    'slow',
    'failing',
  ])
  const system = systemOf(kind, random)
  const decision = kind === 'held' ? random.pick(decisions) : null
  const refused = kind === 'denied' || (kind === 'held' && decision !== 'approve')
  const ended = system === 'ill' || system === 'busy' ? 'execution_failed' : 'executed'
  return {
    proposal_id: `p-${n}`,
    system,
    risk: kind === 'held' ? 'high' : 'low',
    amount: kind === 'denied' ? 1_000 : random.between(0, 100),
    decision,
    copies: random.pick([1, 1, 1, 2]),
    polls: random.between(0, 3),
    ends: refused ? 'denied' : ended,
  }
}

function systemOf(kind: string, random: Random): Story['system'] {
  if (kind === 'slow') return 'slow'
  return kind === 'failing' ? random.pick(['ill', 'busy']) : 'prompt'
}
